import type { Crm } from '../../contract/client/client.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isRow, type Row } from '../../transports/cli/cells.ts'
import { allPages, pageOf } from '../../transports/cli/pages.ts'
import type { Schema } from '../../transports/cli/schema.ts'

/** Records, a page at a time: all that match, oldest first, so that they keep their order when they are imported again. */
export async function* recordsOf(crm: Crm, operation: Operation, input: Row, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  if (operation.verb === 'getAttached') yield* hangingOf(crm, operation, signal)
  else if (operation.verb === 'getEvents') yield* eventsOf(crm, operation, input, signal)
  else for await (const { rows } of allPages(crm, operation, { OrderBy: operation.record.createdField, ...input }, signal)) yield rows
}

/** All events up to now: there are no more for now where the cursor stays. */
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

/** What hangs on records, by going through the records. */
async function* hangingOf(crm: Crm, operation: Operation, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  const { hangsOn } = operation.record
  const member = Object.keys((operation.input as unknown as { properties: object }).properties)[0] as string
  for (const type of hangsOn?.types ?? []) {
    const parents = OPERATIONS.find(({ record, verb }) => record.name === type && verb === 'getMany') as Operation
    for await (const { rows } of allPages(crm, parents, { OrderBy: parents.record.createdField, Select: [parents.record.id] }, signal)) {
      const ids = rows.map((row) => row[parents.record.id] as string)
      if (ids.length === 0) continue
      const found: Row[] = []
      const { Results } = await crm.batch({ Operations: ids.map((id) => ({ Operation: operation.id, Input: { [member]: id, Limit: LIMITS.page } })) })
      for (const [i, id] of ids.entries()) {
        const { Result } = Results[i] as { Result?: { Records: readonly Row[]; NextCursor: string | null } }
        const about = { RecordType: type, RecordID: id }
        const whole = Result?.NextCursor === null ? Result.Records : await everyPage(id)
        for (const row of whole.toReversed()) found.push({ ...about, ...row })
      }
      yield found
    }
  }

  /** A record with more than fits a page, or than fits beside what the others have. */
  async function everyPage(id: string): Promise<Row[]> {
    const all: Row[] = []
    for await (const { rows } of allPages(crm, operation, { [member]: id, Limit: LIMITS.defaultPage }, signal)) all.push(...rows)
    return all
  }
}

/** The columns of a file: the fields of the record type, or those that were selected; user-defined ones stand where their values would. */
export async function columnsOf(crm: Crm, { record, verb, output }: Operation, { Select, Filters }: Row): Promise<string[]> {
  if (verb === 'getEvents') return Object.keys((output as Schema).properties?.Events?.items?.properties ?? {})
  const own = Object.keys(record.fields).filter((name) => record.fields[name]?.access !== 'secret')
  const about = verb === 'getAttached' ? ['RecordType', 'RecordID'] : []
  if (Array.isArray(Select)) return [record.id, ...(Select as string[]).filter((name) => name !== record.id)]
  if (!record.userDefined) return [...about, ...own]
  const object = isRow(Filters) ? Filters.ObjectName : undefined
  const { CustomObjects } = await crm.describe({ RecordType: record.name })
  const wanted = CustomObjects.filter(({ ObjectName }) => typeof object !== 'string' || ObjectName === object)
  const defined = [...new Set(wanted.flatMap(({ Fields }) => Fields.map(({ Name }) => Name)))].sort()
  return own.flatMap((name) => (name === record.userDefined ? defined : [name]))
}

/** A record with its user-defined values beside its own. */
export function flat({ record }: Operation, row: Row): Row {
  const values = row[record.userDefined ?? '']
  return isRow(values) ? { ...row, ...values } : row
}
