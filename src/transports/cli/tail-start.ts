import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Event } from '../../contract/records/event.ts'
import { eventIdOf } from '../../core/journal/events.ts'

/** Where following begins. */
export type Start =
  | { readonly kind: 'all' }
  | { readonly kind: 'after'; readonly cursor: string }
  | { readonly kind: 'time'; readonly at: string }
  | { readonly kind: 'last'; readonly count: number }

/** Where following begins, as it was found. */
interface Place {
  /** Events that come before what is followed. */
  readonly first: readonly Event[]
  /** Everything after it is followed; undefined from now on. */
  readonly after: string | undefined
  /** Whether an event is from before the beginning after all. */
  readonly isLate: (event: Event) => boolean
}

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** Reads `all`, an EventID, a length of time, or a moment. */
export function startOf(text: string): Start {
  if (text === 'all') return { kind: 'all' }
  if (/^\d{12,}$/.test(text)) return { kind: 'after', cursor: text }
  const [, count, unit] = /^(\d{1,6}(?:\.\d+)?)([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return { kind: 'time', at: new Date(Date.now() - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]).toISOString() }
  if (/^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:?\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text))) return { kind: 'time', at: new Date(text).toISOString() }
  throw new CrmError('invalid_input', '--since is neither a length of time, a moment, an EventID nor all.', {
    hint: 'Such as 10m, 2h, 3d, 2026-11-15, 2026-11-15T09:30:00Z, 000000000042 or all.',
  })
}

/** Finds the event that following begins after. */
export async function placeOf(crm: Crm, start: Start, isWanted: (event: { readonly Type: string }) => boolean): Promise<Place> {
  const never = () => false
  if (start.kind === 'after') return { first: [], after: start.cursor, isLate: never }
  if (start.kind === 'all') return { ...(await fromTheOldest(crm)), isLate: never }
  try {
    // Looked at first, so that nothing can happen in between that is missed.
    const newest = await newestOf(crm)
    if (newest === undefined) return { ...(await fromTheOldest(crm)), isLate: never }
    const number = start.kind === 'time' ? await firstSince(crm, start.at) : await lastBut(crm, start.count, isWanted)
    return { first: [], after: eventIdOf(number === undefined ? newest : number - 1), isLate: never }
  } catch (error) {
    // Without the right to read the audit, all events are read, and those that are too old are skipped.
    if (!(error instanceof CrmError) || error.code !== 'forbidden') throw error
    if (start.kind === 'last') return { first: [], after: undefined, isLate: never }
    return { ...(await fromTheOldest(crm)), isLate: ({ At }) => At < start.at }
  }
}

async function fromTheOldest(crm: Crm): Promise<Pick<Place, 'first' | 'after'>> {
  const { Events, NextCursor } = await crm.events.getMany({ Limit: LIMITS.events })
  return { first: Events, after: NextCursor }
}

/** Only what was announced is an event. */
const ANNOUNCED = { EventType: { ne: null } } as const

/** The number of the newest change; undefined where there is none that the caller may see. */
async function newestOf(crm: Crm): Promise<number | undefined> {
  const { Records } = await crm.changes.getMany({ Limit: 1, Select: ['Number'] })
  return Records[0]?.Number ?? undefined
}

/** The number of the first event since a moment. */
async function firstSince(crm: Crm, at: string): Promise<number | undefined> {
  const Filters = { ...ANNOUNCED, At: { gte: at } }
  for await (const { Number: number } of crm.changes.all({ Filters, OrderBy: 'At asc', Limit: 1, Select: ['Number'] })) return number ?? undefined
  return undefined
}

/** The number of the event that so many wanted ones follow, itself one of them. */
async function lastBut(crm: Crm, count: number, isWanted: (event: { readonly Type: string }) => boolean): Promise<number | undefined> {
  let found: number | undefined
  let left = count
  if (left === 0) return undefined
  const Limit = Math.min(LIMITS.page, Math.max(count, 20))
  for await (const { Number: number, EventType } of crm.changes.all({ Filters: ANNOUNCED, Limit, Select: ['Number', 'EventType'] })) {
    if (number === null || EventType === null || !isWanted({ Type: EventType })) continue
    found = number
    if (--left === 0) break
  }
  return found
}
