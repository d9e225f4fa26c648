import type { Crm } from '../contract/client.ts'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { Context } from './behaviour.ts'
import type { Row } from './walk-samples.ts'

/** A moment, and the place in the order of events, that a behaviour began at. */
export interface Beginning {
  readonly at: string
  readonly cursor: string
}

/** Where things stand now, learned through someone who may see next to nothing, so that little has to be read. */
export async function beginning({ as }: Context): Promise<Beginning> {
  const { crm } = await as({ scopes: ['read:Case'] })
  let cursor: string | undefined
  for (;;) {
    const { NextCursor } = await crm.events.getMany({ Limit: LIMITS.events, ...(cursor !== undefined && { After: cursor }) })
    if (NextCursor === cursor) break
    cursor = NextCursor
  }
  return { at: (await crm.users.getCurrent({})).CreatedDate, cursor }
}

/** What has happened since. */
export async function eventsSince(crm: Crm, { cursor }: Beginning) {
  const { Events } = await crm.events.getMany({ After: cursor, Limit: LIMITS.events })
  return Events
}

/**
 * All that an admin can read of what was made since, with what hangs on it, whatever was changed last, every count, the
 * definitions, the changes and the events.
 */
export async function everything(crm: Crm, since: Beginning): Promise<Row> {
  const seen: { [what: string]: unknown } = { events: await eventsSince(crm, since), definitions: await crm.describe({ RecordType: 'CustomObject' }) }
  for (const { id, record, verb } of OPERATIONS) {
    if (verb === 'getSummary') seen[id] = await crm.call(id, {})
    if (verb !== 'getMany') continue
    const list = async (input: Row) => ((await crm.call(id, input)) as { Records: Row[] }).Records
    const made = await list({ Filters: { [record.born]: { gte: since.at } }, Limit: LIMITS.page })
    seen[id] = made
    if (record.revised) seen[`${id}, last changed`] = await list({ OrderBy: 'UpdatedDate desc', Limit: 1 })
    const get = OPERATIONS.find((one) => one.record.name === record.name && one.verb === 'get')
    if (get) seen[get.id] = await Promise.all(made.map((row) => crm.call(get.id, { [record.id]: row[record.id] })))
  }
  return seen
}
