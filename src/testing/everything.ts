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
 * All that an admin can read of what was made since, with what hangs on it, whatever was changed last, every count, the changes
 * and the events; the definitions only where they matter, since every object there is has some.
 */
export async function everything(crm: Crm, since: Beginning, definitions = false): Promise<Row> {
  const seen: { [what: string]: unknown } = {}
  const see = async (what: string, answer: Promise<unknown>) => {
    seen[what] = await answer
  }
  const list = async (id: string, input: Row) => ((await crm.call(id, input)) as { Records: Row[] }).Records
  const looks = OPERATIONS.flatMap(({ id, record, verb }) => {
    if (verb === 'getSummary') return [see(id, crm.call(id, {}))]
    if (verb !== 'getMany') return []
    const made = list(id, { Filters: { [record.born]: { gte: since.at } }, Limit: LIMITS.page })
    const get = OPERATIONS.find((one) => one.record.name === record.name && one.verb === 'get')
    return [
      see(id, made),
      ...(record.revised ? [see(`${id}, last changed`, list(id, { OrderBy: 'UpdatedDate desc', Limit: 1 }))] : []),
      ...(get
        ? [
            see(
              get.id,
              made.then((rows) => Promise.all(rows.map((row) => crm.call(get.id, { [record.id]: row[record.id] })))),
            ),
          ]
        : []),
    ]
  })
  await Promise.all([
    ...looks,
    see('events', eventsSince(crm, since)),
    ...(definitions ? [see('definitions', crm.describe({ RecordType: 'CustomObject' }))] : []),
  ])
  return seen
}
