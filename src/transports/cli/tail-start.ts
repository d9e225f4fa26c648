import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Event } from '../../contract/records/event.ts'

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
  if (/^(\d{12,}|(evt|cur)_\S+)$/.test(text)) return { kind: 'after', cursor: text }
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
  const isLate = start.kind === 'time' ? ({ At }: Event) => At < start.at : never
  try {
    const change = start.kind === 'time' ? await lastBefore(crm, start.at) : await beforeLast(crm, start.count, isWanted)
    return { ...(change === undefined ? await fromTheOldest(crm) : { first: [], after: change }), isLate }
  } catch (error) {
    // Without the right to read the audit, all events are read, and those that are too old are skipped.
    if (!(error instanceof CrmError) || error.code !== 'forbidden') throw error
    if (start.kind === 'last') return { first: [], after: undefined, isLate }
    return { ...(await fromTheOldest(crm)), isLate }
  }
}

async function fromTheOldest(crm: Crm): Promise<Pick<Place, 'first' | 'after'>> {
  const { Events, NextCursor } = await crm.events.getMany({ Limit: LIMITS.events })
  return { first: Events, after: NextCursor }
}

/** The last change before a moment. */
async function lastBefore(crm: Crm, at: string): Promise<string | undefined> {
  const { Records } = await crm.changes.getMany({ Filters: { At: { lt: at } }, Limit: 1, Select: ['At'] })
  return Records[0]?.ChangeID
}

/** The change that so many wanted events follow, or as many as there are. */
async function beforeLast(crm: Crm, count: number, isWanted: (event: { readonly Type: string }) => boolean): Promise<string | undefined> {
  let left = count
  let place: string | undefined
  let isFollowed = true
  const Limit = Math.min(LIMITS.page, count + 20)
  for await (const { ChangeID, EventType } of crm.changes.all({ Limit, Select: ['EventType'] })) {
    if (isFollowed) place = ChangeID
    if (left === 0) return place
    // Only what was announced is an event.
    isFollowed = EventType !== null && isWanted({ Type: EventType })
    if (isFollowed) left--
  }
  return isFollowed ? undefined : place
}
