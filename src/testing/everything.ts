import assert from 'node:assert/strict'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { RecordType } from '../contract/record.ts'
import { Campaign } from '../contract/records/campaign.ts'
import { Key } from '../contract/records/key.ts'
import { Attempt } from '../contract/records/webhook.ts'
import { Workspace } from '../contract/records/workspace.ts'
import type { Client, Context } from './behaviour.ts'
import type { Row } from './records.ts'

/** The time and the event cursor at which a behaviour began. */
export interface Beginning {
  readonly at: string
  readonly cursor: string
  /** The filters for summaries: none, or new records only where the platform has no counters and would count all records each time. */
  readonly summarized: Row
  /** Whether what was changed last stays so until the next write. */
  readonly steady: boolean
}

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]

/** The current time and event cursor, read with a key that sees few records, which is quicker. Just before midnight, which changes what is overdue, it waits. */
export async function beginning(context: Context): Promise<Beginning> {
  const { as, lacks } = context
  const { crm } = await as({ scopes: ['read:Case'] })
  let cursor: string | undefined
  for (;;) {
    const { NextCursor } = await crm.events.getMany({ Limit: LIMITS.events, ...(cursor !== undefined && { After: cursor }) })
    if (NextCursor === cursor) break
    cursor = NextCursor
  }
  const { CreatedDate: at } = await crm.users.getCurrent({})
  const leftMs = DAY_MS - (Date.parse(at) % DAY_MS)
  if (leftMs < MINUTE_MS) {
    await new Promise((resolve) => setTimeout(resolve, leftMs))
    return beginning(context)
  }
  return { at, cursor, summarized: lacks('maintained counters') ? { Filters: { CreatedDate: { gte: at } } } : {}, steady: !lacks('steady dates') }
}

/** What has happened since. */
export async function eventsSince(crm: Client, { cursor }: Beginning) {
  const { Events } = await crm.events.getMany({ After: cursor, Limit: LIMITS.events })
  return Events
}

/** Many reads as one batch, which is quickest through every transport. */
async function readAll(crm: Client, reads: readonly Read[]): Promise<{ [what: string]: unknown }> {
  if (reads.length === 0) return {}
  const { Results } = await crm.batch({ Operations: reads.map(({ Operation, Input }) => ({ Operation, Input })) })
  return Object.fromEntries(
    Results.map(({ Result, Error: problem }, i) => {
      assert.equal(problem, undefined)
      return [(reads[i] as Read).what, Result]
    }),
  )
}

/** Of workspaces those that stay: one that is being deleted goes away by itself. */
const lasting = ({ name }: RecordType): Row => (name === Workspace.name ? { State: { in: ['active', 'paused'] } } : {})

/** What a service notes by itself while others call it: attempts at deliveries, and when a key was last used. */
const isNoted = ({ name }: RecordType): boolean => name === Attempt.name
export const STEADY_KEY = { Select: Object.keys(Key.stored.properties).filter((field) => field !== 'LastUsedDate') }

/** How a list is read that is compared. What a CRM derives from the members of a campaign is in a mirror only after another poll. */
const READ_BY: { readonly [type: string]: Row } = { [Key.name]: STEADY_KEY, [Campaign.name]: { Fresh: true } }

interface Read {
  readonly what: string
  readonly Operation: string
  readonly Input: Row
}

/**
 * All that an admin can read of what was made since, with its children, whatever was changed last, every count, the changes
 * and the events; the definitions only where they matter, since every object there is has some.
 */
export async function everything(crm: Client, { at, cursor, summarized, steady }: Beginning, definitions = false): Promise<Row> {
  const lists = OPERATIONS.filter(({ verb, record }) => verb === 'getMany' && !isNoted(record))
  const seen = await readAll(crm, [
    { what: 'events', Operation: 'get_many_events', Input: { After: cursor, Limit: LIMITS.events } },
    ...(definitions ? [{ what: 'definitions', Operation: 'describe', Input: { RecordType: 'CustomObject' } }] : []),
    ...OPERATIONS.filter(({ verb }) => verb === 'getSummary').map(({ id }) => ({ what: id, Operation: id, Input: summarized })),
    ...lists.map(({ id, record }) => ({
      what: id,
      Operation: id,
      Input: { Filters: { [record.createdField]: { gte: at }, ...lasting(record) }, Limit: LIMITS.page, ...READ_BY[record.name] },
    })),
    ...lists
      .filter(({ record }) => record.revised && steady)
      .map(({ id, record }) => ({
        what: `${id}, last changed`,
        Operation: id,
        Input: { Filters: lasting(record), OrderBy: 'UpdatedDate desc', Limit: 1, ...READ_BY[record.name] },
      })),
  ])
  const gets = OPERATIONS.filter(({ verb }) => verb === 'get').flatMap(({ id, record }) => {
    const list = lists.find((one) => one.record.name === record.name)
    const made = (seen[list?.id ?? ''] as { Records: Row[] }).Records
    return made.map((row) => ({ what: `${record.name} ${row[record.id]}`, Operation: id, Input: { [record.id]: row[record.id] } }))
  })
  // The cursor moves past refusals, which are no events.
  const { Events } = seen.events as { Events: readonly unknown[] }
  return { ...seen, events: Events, ...(await readAll(crm, gets)) }
}
