import type { Access } from '../access.ts'
import { forbidden } from '../errors.ts'
import { Calendar, rangeOf } from './calendar.ts'

/** The sum of the amounts by open stage. */
export function reportByStage(access: Access, query: URLSearchParams): { [stage: string]: number } {
  const { store } = access
  if (!access.allows('Opportunity', 'read')) throw forbidden()
  const map = store.scope('Opportunity').fields.stage?.probabilityMap ?? {}
  const stages = Object.keys(map).filter((stage) => map[stage] !== 0 && map[stage] !== 100)
  const sums: { [stage: string]: number } = Object.fromEntries(stages.map((stage) => [stage, 0]))
  const [from = '', to = '9999'] = days(query, store.now())
  const isSeen = access.test('Opportunity', 'read')
  for (const row of store.table('Opportunity').rows.values()) {
    const { stage, amount, closeDate } = row.values
    if (row.deleted || !isSeen(row) || typeof stage !== 'string' || !Object.hasOwn(sums, stage)) continue
    if (typeof closeDate === 'string' && (closeDate < from || closeDate >= to)) continue
    sums[stage] = (sums[stage] ?? 0) + Number(amount ?? 0)
  }
  return sums
}

function days(query: URLSearchParams, now: number): readonly (string | undefined)[] {
  const filter = query.get('dateFilter') ?? 'ever'
  if (filter === 'between') return [query.get('dateFrom') ?? undefined, query.get('dateTo') ?? undefined]
  const [from, to] = rangeOf(filter, new Calendar(now), 0) ?? []
  return [from, to]
}
