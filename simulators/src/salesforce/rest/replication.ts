import { DAY_MS } from '../../dates.ts'
import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { Refusal } from '../errors.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import { KEPT_MS } from '../records/recycle-bin.ts'
import { readTime, writeTime } from '../records/times.ts'

const MINUTE_MS = 60_000
const OLDEST_MS = 30 * DAY_MS

/** `/sobjects/X/updated`: the ids of records that were created or changed between two times. */
export function updated(org: Org, request: WireRequest, object: SObject): WireAnswer {
  const span = spanOf(org, request)
  const ids = stampedIn(org, object, span).flatMap(({ Id, IsDeleted }) => (IsDeleted ? [] : [Id]))
  return { status: 200, body: { ids, latestDateCovered: latestCovered(org, span) } }
}

/** `/sobjects/X/deleted`: the log of deletions, from which a record that is restored disappears. A start before a purge is refused: something may be missing. */
export function deleted(org: Org, request: WireRequest, object: SObject): WireAnswer {
  const span = spanOf(org, request)
  if (span.start < org.purgedUntil) throw invalid(`startDate before the earliest date available: ${earliest(org)}`)
  const oldest = earliest(org)
  const rows = stampedIn(org, object, span).filter(({ IsDeleted, SystemModstamp }) => IsDeleted && String(SystemModstamp) >= oldest)
  const deletedRecords = rows.map(({ Id, SystemModstamp }) => ({ deletedDate: SystemModstamp, id: Id }))
  return { status: 200, body: { deletedRecords, earliestDateAvailable: oldest, latestDateCovered: latestCovered(org, span) } }
}

interface Span {
  readonly start: number
  readonly end: number
}

/** The seconds of both times are ignored. */
function spanOf({ world }: Org, { query }: WireRequest): Span {
  const [start, end] = ['start', 'end'].map((edge) => Date.parse((query.get(edge) ?? '').replace(' ', '+')))
  if (!start || !end) throw invalid('start and end are required as date-times')
  if (end - start <= MINUTE_MS) throw invalid('startDate before endDate')
  if (start < Number(world.now()) - OLDEST_MS) throw invalid('startDate cannot be more than 30 days ago')
  return { start: minuteOf(start), end: minuteOf(end) }
}

const minuteOf = (time: number) => time - (time % MINUTE_MS)
const invalid = (message: string) => new Refusal(400, 'INVALID_REPLICATION_DATE', message)

function stampedIn(org: Org, object: SObject, { start, end }: Span) {
  const [from, to] = [writeTime(start), writeTime(end)]
  return [...org.table(object).listed()].filter(({ SystemModstamp }) => String(SystemModstamp) >= from && String(SystemModstamp) < to)
}

const earliest = (org: Org) => writeTime(Math.max(Number(org.world.now()) - KEPT_MS, org.purgedUntil))

/** Where the next call has to start: no later than the oldest write that is still under way. */
function latestCovered(org: Org, { end }: Span): string {
  let latest = Math.min(end, Number(org.world.now()))
  for (const table of org.allTables()) for (const { SystemModstamp } of table.hidden()) latest = Math.min(latest, readTime(String(SystemModstamp)) ?? latest)
  return writeTime(minuteOf(latest))
}
