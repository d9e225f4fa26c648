import type { CallOptions, Crm } from 'crm-connector'
import { type Kind, operationOf, type Row } from './kind.ts'

/** What a table asks for. */
export interface Asked {
  readonly filters: { readonly [field: string]: unknown }
  readonly order: string | undefined
  readonly select?: readonly string[] | undefined
  readonly cursor?: string | null
  readonly limit?: number
}

export interface RowsPage {
  readonly Records: readonly Row[]
  readonly NextCursor: string | null
}

/** A record as the console has it: what a custom object holds stands beside what every record has. */
export function flat(kind: Pick<Kind, 'objectName'>, record: Row): Row {
  if (kind.objectName === undefined) return record
  const { Values, Fields, ObjectName, ...rest } = record
  return { ...(Values as Row | undefined), ...rest }
}

function idOf(kind: Kind, verb: Parameters<Kind['operation']>[0]): string {
  const found = operationOf(kind.recordType, verb)
  if (!found) throw new Error(`Nothing does ${verb} to a ${kind.one}.`)
  return found.id
}

function inputOf(kind: Kind, { filters, order, select, cursor, limit }: Asked): Row {
  return {
    Filters: kind.objectName === undefined ? filters : { ...filters, ObjectName: kind.objectName },
    ...(order !== undefined && { OrderBy: order }),
    // What the fields of a custom object are called is no name of an answer's member.
    ...(select && kind.objectName === undefined && { Select: select }),
    ...(cursor && { Cursor: cursor }),
    ...(limit !== undefined && { Limit: limit }),
  }
}

export async function findRows(crm: Crm, kind: Kind, asked: Asked, options?: CallOptions): Promise<RowsPage> {
  const { Records, NextCursor } = (await crm.call(idOf(kind, 'getMany'), inputOf(kind, asked), options)) as RowsPage
  return { Records: Records.map((record) => flat(kind, record)), NextCursor }
}

/** The first rows of several questions at once; none of one that is refused. */
export async function findEach(crm: Crm, kind: Kind, filters: readonly Asked['filters'][], limit: number, signal: AbortSignal): Promise<readonly Row[][]> {
  if (filters.length === 0) return []
  const Operation = idOf(kind, 'getMany') as 'get_many_leads'
  const inputs = filters.map((one) => inputOf(kind, { filters: one, order: undefined, limit }))
  const { Results } = await crm.batch({ Operations: inputs.map((Input) => ({ Operation, Input })) }, { signal, retries: 0 })
  return Results.map((one) => ((one as { Result?: RowsPage }).Result?.Records ?? []).map((record) => flat(kind, record)))
}

/** One record in full; undefined where there is none and nothing says so. */
export async function readRow(crm: Crm, kind: Kind, id: string, options?: CallOptions): Promise<Row | undefined> {
  const get = kind.operation('get')
  if (get) return flat(kind, (await crm.call(get.id, { [kind.id]: id }, options)) as Row)
  return (await findRows(crm, kind, { filters: { [kind.id]: id }, order: undefined, limit: 1 }, options)).Records[0]
}

export async function createRow(crm: Crm, kind: Kind, values: Row, options?: CallOptions): Promise<Row> {
  if (kind.objectName === undefined) return (await crm.call(idOf(kind, 'create'), values, options)) as Row
  const Fields = Object.fromEntries(Object.entries(values).map(([name, Value]) => [name, { Value }]))
  return flat(kind, (await crm.call(idOf(kind, 'createCustom'), { ObjectName: kind.objectName, Fields }, options)) as Row)
}

/** The input of an update, for a call by itself or in a batch. */
export function updateInput(kind: Kind, row: Row, changes: Row, always = false): Row {
  return { [kind.id]: row[kind.id], FieldsToUpdate: changes, ...(!always && revisionOf(row)) }
}

export function deleteInput(kind: Kind, row: Row): Row {
  return { [kind.id]: row[kind.id], ...revisionOf(row) }
}

const revisionOf = ({ Revision }: Row) => (typeof Revision === 'number' ? { IfRevision: Revision } : {})

export async function updateRow(crm: Crm, kind: Kind, row: Row, changes: Row, options?: CallOptions): Promise<Row> {
  return flat(kind, (await crm.call(idOf(kind, 'update'), updateInput(kind, row, changes), options)) as Row)
}

export async function deleteRow(crm: Crm, kind: Kind, row: Row, options?: CallOptions): Promise<void> {
  await crm.call(idOf(kind, 'delete'), deleteInput(kind, row), options)
}

/** How many there are, where there is a summary that says so. */
export async function summaryOf(crm: Crm, kind: Kind, filters: Asked['filters'], options?: CallOptions): Promise<Row | undefined> {
  const summary = kind.operation('getSummary')
  return summary && ((await crm.call(summary.id, { Filters: filters }, options)) as Row)
}
