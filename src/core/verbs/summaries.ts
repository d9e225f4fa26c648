import { LIMITS } from '../../contract/limits.ts'
import { mean, unscaled } from '../../contract/money.ts'
import type { Condition, Reader, StoredRecord, Tally, Where } from '../../platforms/platform.ts'
import { ownersFor } from '../access/access.ts'
import { shown } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import type { Settings } from '../service.ts'
import { sourceOf } from '../watch/source.ts'
import { countByAge } from './ages.ts'
import { visibleUser } from './context.ts'
import { forecastOf } from './forecast.ts'

const DAY_MS = 86_400_000

/** Figures over the records the caller may see, narrowed by UserID and then by Filters. */
export async function getSummary(context: Context): Promise<unknown> {
  const { service, caller, operation, input, search } = context
  const type = operation.record
  if (typeof input.UserID === 'string') await visibleUser(context, input.UserID, 'UserID')
  const { owners } = typeof input.UserID === 'string' ? { owners: [input.UserID] } : ownersFor(caller, type)
  const limited = owners ? { owners } : {}
  const source = await sourceOf(context)
  const reader = source.reader(type)
  const today = service.now()
  const tally = await reader.tally(type.name, {
    ...limited,
    where: search.where,
    today: dayOf(today),
    soon: dayOf(new Date(today.getTime() + LIMITS.closingSoonDays * DAY_MS)),
  })

  const newest = await reader.find(type.name, { ...limited, where: search.where, order: { field: 'CreatedDate', descending: true }, limit: LIMITS.recent })
  const recent = newest.records.map((record) => shown(type, record))
  const first = await firstCreated(reader, type.name, owners, search.where)
  const shared = {
    ByMonth: sumBy(tally.months, ({ month }) => month)
      .map(({ key, count }) => ({ Month: key, Count: count }))
      .sort((a, b) => (a.Month < b.Month ? -1 : 1)),
    FirstCreated: first ?? null,
    LastCreated: recent[0]?.CreatedDate ?? null,
    Recent: recent,
    ...source.dated,
  }
  if (type.amount) {
    const figures = opportunityFigures(tally, service.settings)
    const forecast = input.Forecast === true && (await forecastOf(reader, { ...limited, where: search.where }, today, figures.WinRate, service.settings))
    return { ...figures, ...shared, ...(forecast && { Forecast: forecast }) }
  }
  const figures = { ...stateFigures(tally), ...shared }
  if (!type.queued) return figures
  const cases = await caseFigures(reader, tally, owners, search.where, service.settings)
  const open = openOnes(owners, search.where, service.settings.closedStatuses)
  const ages = input.Ages === true && (await countByAge(reader, type.name, open, cases.Open.Count, today))
  return { ...figures, ...cases, ...(ages && { OpenByAge: ages }) }
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10)

async function firstCreated(reader: Reader, type: string, owners: readonly string[] | undefined, where: readonly Where[]): Promise<string | undefined> {
  if (where.length === 0) return reader.firstCreated(type, owners)
  const { records } = await reader.find(type, { ...(owners && { owners }), where, order: { field: 'CreatedDate', descending: false }, limit: 1 })
  return records[0]?.CreatedDate as string | undefined
}

interface Share {
  readonly count: number
  readonly amount: bigint
}

/** Adds up cells that share a key. */
function sumBy<C extends { readonly count: number; readonly amount?: bigint }, K>(cells: readonly C[], keyOf: (cell: C) => K): (Share & { readonly key: K })[] {
  const sums = new Map<K, { key: K; count: number; amount: bigint }>()
  for (const cell of cells) {
    const key = keyOf(cell)
    const sum = sums.get(key) ?? { key, count: 0, amount: 0n }
    sum.count += cell.count
    sum.amount += cell.amount ?? 0n
    sums.set(key, sum)
  }
  return [...sums.values()]
}

/** Largest first; among equals by code point, as the stores sort. JavaScript's own order is by UTF-16 unit. */
function ranked<K extends string | null>(sums: readonly (Share & { readonly key: K })[]): (Share & { readonly key: K })[] {
  return [...sums].sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.key ?? ''), Buffer.from(b.key ?? '')))
}

function total(cells: readonly Share[]): { Count: number; Amount: number } {
  const [sum = { count: 0, amount: 0n }] = sumBy(cells, () => true)
  return { Count: sum.count, Amount: unscaled(sum.amount) }
}

/** The largest states, and all others together. */
function statesIn(tally: Tally) {
  const states = ranked(sumBy(tally.states, ({ state }) => state))
  return { named: states.slice(0, LIMITS.states), others: states.slice(LIMITS.states) }
}

function stateFigures(tally: Tally) {
  const { named, others } = statesIn(tally)
  return {
    Total: total(tally.states).Count,
    ByStatus: named.map(({ key, count }) => ({ Status: key, Count: count })),
    ...(others.length > 0 && { Others: { Count: total(others).Count } }),
    ByOwner: ranked(sumBy(tally.states, ({ owner }) => owner))
      .slice(0, LIMITS.owners)
      .map(({ key, count }) => ({ UserID: key, Count: count })),
  }
}

function opportunityFigures(tally: Tally, { wonStages, lostStages }: Settings) {
  const won = (cell: { state: string | null }) => cell.state !== null && wonStages.includes(cell.state)
  const lost = (cell: { state: string | null }) => cell.state !== null && lostStages.includes(cell.state)
  const open = (cell: { state: string | null }) => !won(cell) && !lost(cell)
  const all = total(tally.states)
  const { named, others } = statesIn(tally)
  const [sum] = sumBy(tally.states, () => true)
  const amounts = tally.states.reduce((count, cell) => count + cell.amounts, 0)
  const wins = total(tally.states.filter(won))
  const losses = total(tally.states.filter(lost))
  return {
    Total: all.Count,
    ByStage: named.map(({ key, count, amount }) => ({ Stage: key, Count: count, Amount: unscaled(amount) })),
    ...(others.length > 0 && { Others: total(others) }),
    ByOwner: ranked(sumBy(tally.states, ({ owner }) => owner))
      .slice(0, LIMITS.owners)
      .map(({ key, count, amount }) => ({ UserID: key, Count: count, Amount: unscaled(amount) })),
    TotalAmount: all.Amount,
    AverageAmount: sum && amounts > 0 ? mean(sum.amount, amounts) : null,
    Open: total(tally.states.filter(open)),
    Won: wins,
    Lost: losses,
    WinRate: wins.Count + losses.Count > 0 ? wins.Count / (wins.Count + losses.Count) : null,
    Overdue: total(tally.due.filter((cell) => cell.when === 'overdue' && open(cell))),
    ClosingSoon: total(tally.due.filter((cell) => cell.when === 'soon' && open(cell))),
  }
}

async function caseFigures(reader: Reader, tally: Tally, owners: readonly string[] | undefined, where: readonly Where[], { closedStatuses }: Settings) {
  const closed = (cell: { state: string | null }) => cell.state !== null && closedStatuses.includes(cell.state)
  const open = total(tally.states.filter((cell) => !closed(cell)))
  const oldest = open.Count === 0 ? undefined : await oldestOpen(reader, owners, where, closedStatuses)
  return {
    Open: { Count: open.Count },
    Closed: { Count: total(tally.states.filter(closed)).Count },
    OldestOpen: oldest ? { CaseID: oldest.CaseID, CreatedDate: oldest.CreatedDate } : null,
  }
}

async function oldestOpen(
  reader: Reader,
  owners: readonly string[] | undefined,
  where: readonly Where[],
  closed: readonly string[],
): Promise<StoredRecord | undefined> {
  if (where.length === 0) return reader.oldestNotIn('Case', owners, closed)
  const { records } = await reader.find('Case', {
    ...(owners && { owners }),
    where: openOnes(undefined, where, closed),
    order: { field: 'CreatedDate', descending: false },
    limit: 1,
  })
  return records[0]
}

/** The conditions of open cases; whose they may be is one of them. */
function openOnes(owners: readonly string[] | undefined, where: readonly Where[], closed: readonly string[]): Where[] {
  const open = closed.map((value): Condition => ({ field: 'Status', family: 'text', operator: 'ne', value }))
  return [...where, ...open, ...(owners ? [{ field: 'OwnerID', family: 'text', operator: 'in', value: owners } satisfies Condition] : [])]
}
