import type { Crm } from '../../contract/client/client.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Description } from '../mapping/import-target.ts'
import { allPages, memberNames, pageOf, type Row } from './pages.ts'

/** Records, a page at a time: all that match, oldest first, so that they keep their order when they are imported again. */
export async function* recordsOf(crm: Crm, operation: Operation, input: Row, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  if (operation.verb === 'getAttached') yield* attachedOf(crm, operation, signal)
  else if (operation.verb === 'getEvents') yield* eventsOf(crm, operation, input, signal)
  else for await (const { rows } of allPages(crm, operation, { OrderBy: operation.record.createdField, ...input }, signal)) yield rows
}

/** All events up to now; the cursor stays where there are no more. */
async function* eventsOf(crm: Crm, operation: Operation, input: Row, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  let After = input.After
  for (let isMore = true; isMore && !signal.aborted; ) {
    const { rows, next } = pageOf(
      operation,
      (await crm.call(operation.id, { ...input, Limit: LIMITS.events, ...(After !== undefined && { After }) }, { signal })) as Row,
    )
    yield rows
    isMore = next !== After
    After = next
  }
}

/** What is attached to records, by going through the records. */
async function* attachedOf(crm: Crm, operation: Operation, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  const { childOf } = operation.record
  const member = Object.keys((operation.input as unknown as { properties: object }).properties)[0] as string
  for (const type of childOf?.types ?? []) {
    const parents = OPERATIONS.find(({ record, verb }) => record.name === type && verb === 'getMany') as Operation
    for await (const { rows } of allPages(crm, parents, { OrderBy: parents.record.createdField, Select: [parents.record.id] }, signal)) {
      const ids = rows.map((row) => row[parents.record.id] as string)
      if (ids.length === 0) continue
      const found: Row[] = []
      const { Results } = await crm.batch({ Operations: ids.map((id) => ({ Operation: operation.id, Input: { [member]: id, Limit: LIMITS.page } })) })
      for (const [i, id] of ids.entries()) {
        const { Result } = Results[i] as { Result?: { Records: readonly Row[]; NextCursor: string | null } }
        const parent = { RecordType: type, RecordID: id }
        const whole = Result?.NextCursor === null ? Result.Records : await everyPage(id)
        for (const row of whole.toReversed()) found.push({ ...parent, ...row })
      }
      yield found
    }
  }

  /** For a record whose attachments do not fit into a page, or beside those of the others in a batch. */
  async function everyPage(id: string): Promise<Row[]> {
    const all: Row[] = []
    for await (const { rows } of allPages(crm, operation, { [member]: id, Limit: LIMITS.defaultPage }, signal)) all.push(...rows)
    return all
  }
}

/**
 * The columns of a file: the fields of the record type as described, or those that were selected. The fields of custom objects stand where their values
 * would.
 */
export function exportColumns(
  { record, verb, ...operation }: Operation,
  { Select, Filters }: Row,
  description: Pick<Description, 'RecordTypes' | 'CustomObjects'>,
): string[] {
  if (verb === 'getEvents') return memberNames({ record, verb, ...operation })
  if (Array.isArray(Select)) return [record.id, ...(Select as string[]).filter((name) => name !== record.id)]
  const described = description.RecordTypes.find(({ Name }) => Name === record.name)?.Fields.map(({ Name }) => Name)
  const fields = described ?? Object.keys(record.fields).filter((name) => record.fields[name]?.access !== 'secret')
  const object = isObject(Filters) && typeof Filters.ObjectName === 'string' ? Filters.ObjectName : undefined
  const objects = description.CustomObjects.filter(({ ObjectName }) => object === undefined || ObjectName === object)
  const custom = [...new Set(objects.flatMap(({ Fields }) => Fields.map(({ Name }) => Name)))].sort()
  return [...(verb === 'getAttached' ? ['RecordType', 'RecordID'] : []), ...fields.flatMap((name) => (name === record.userDefined ? custom : [name]))]
}

/** A record with its custom values beside its other fields. */
export function flatRecord({ record }: Operation, row: Row): Row {
  const values = row[record.userDefined ?? '']
  return isObject(values) ? { ...row, ...values } : row
}

/** How many records match; undefined where no summary counts records of the type. */
export async function countRecords(
  crm: Crm,
  { record }: Operation,
  { Filters }: Row,
  options: { readonly signal?: AbortSignal; readonly retries?: number } = {},
) {
  const summary = summaryOf(record.name)
  return summary && ((await crm.call(summary.id as string, Filters === undefined ? {} : { Filters }, options)) as { Total: number }).Total
}

export const summaryOf = (type: string): Operation | undefined => OPERATIONS.find(({ record, verb }) => record.name === type && verb === 'getSummary')
