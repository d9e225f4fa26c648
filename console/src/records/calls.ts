import type { CallOptions, Crm } from 'crm-connector'
import { noteOwnWrite } from '../data/own-revisions.ts'
import { operationOf, type RecordSchema, type Row } from './record-schema.ts'

export interface RowQuery {
  readonly filters: { readonly [field: string]: unknown }
  readonly order: string | undefined
  readonly select?: readonly string[] | undefined
  /** The references whose records are answered too. */
  readonly include?: readonly string[] | undefined
  readonly cursor?: string | null
  readonly limit?: number
}

export interface RowsPage {
  readonly Records: readonly Row[]
  readonly NextCursor: string | null
  /** Of a page from a mirror: it has all changes up to then. */
  readonly AsOf?: string
}

/** The console's form of a record: the values of a custom object beside the common fields. */
export function flat(schema: Pick<RecordSchema, 'objectName'>, record: Row): Row {
  if (schema.objectName === undefined) return record
  const { Values, Fields, ObjectName, ...rest } = record
  return { ...(Values as Row | undefined), ...rest }
}

function idOf(schema: RecordSchema, verb: Parameters<RecordSchema['operation']>[0]): string {
  const found = operationOf(schema.recordType, verb)
  if (!found) throw new Error(`There is no operation ${verb} for ${schema.one}.`)
  return found.id
}

function inputOf(schema: RecordSchema, { filters, order, select, include, cursor, limit }: RowQuery): Row {
  return {
    Filters: schema.objectName === undefined ? filters : { ...filters, ObjectName: schema.objectName },
    ...(order !== undefined && { OrderBy: order }),
    // `Select` takes members of the answer, and the fields of a custom object are inside `Values`.
    ...(select && schema.objectName === undefined && { Select: select }),
    ...(include && include.length > 0 && { Include: include }),
    ...(cursor && { Cursor: cursor }),
    ...(limit !== undefined && { Limit: limit }),
  }
}

export async function findRows(crm: Crm, schema: RecordSchema, query: RowQuery, options?: CallOptions): Promise<RowsPage> {
  const page = (await crm.call(idOf(schema, 'getMany'), inputOf(schema, query), options)) as RowsPage
  return { ...page, Records: page.Records.map((record) => flat(schema, record)) }
}

/** The first rows for each of several filters, in one batch; no rows for a filter that is refused. */
export async function findEach(
  crm: Crm,
  schema: RecordSchema,
  filters: readonly RowQuery['filters'][],
  limit: number,
  signal: AbortSignal,
): Promise<readonly Row[][]> {
  if (filters.length === 0) return []
  const Operation = idOf(schema, 'getMany') as 'get_many_leads'
  const inputs = filters.map((one) => inputOf(schema, { filters: one, order: undefined, limit }))
  const { Results } = await crm.batch({ Operations: inputs.map((Input) => ({ Operation, Input })) }, { signal, retries: 0 })
  return Results.map((one) => ((one as { Result?: RowsPage }).Result?.Records ?? []).map((record) => flat(schema, record)))
}

/** One record; undefined if it does not exist and no get operation says so. It comes from the CRM, unless `fresh` is false. */
export async function readRow(crm: Crm, schema: RecordSchema, id: string, options?: CallOptions, fresh = true): Promise<Row | undefined> {
  const get = schema.operation('get')
  const include = schema.references.map(({ name }) => name)
  const how = { ...(include.length > 0 && { Include: include }), ...(!fresh && { Fresh: false }) }
  if (get) return flat(schema, (await crm.call(get.id, { [schema.id]: id, ...how }, options)) as Row)
  return (await findRows(crm, schema, { filters: { [schema.id]: id }, order: undefined, limit: 1 }, options)).Records[0]
}

export async function createRow(crm: Crm, schema: RecordSchema, values: Row, options?: CallOptions): Promise<Row> {
  if (schema.objectName === undefined) return (await crm.call(idOf(schema, 'create'), values, options)) as Row
  const Fields = Object.fromEntries(Object.entries(values).map(([name, Value]) => [name, { Value }]))
  return flat(schema, (await crm.call(idOf(schema, 'createCustom'), { ObjectName: schema.objectName, Fields }, options)) as Row)
}

/** The input of an update, for a call by itself or in a batch. */
export function updateInput(schema: RecordSchema, row: Row, changes: Row): Row {
  return { [schema.id]: row[schema.id], FieldsToUpdate: changes, ...revisionOf(row) }
}

export function deleteInput(schema: RecordSchema, row: Row): Row {
  return { [schema.id]: row[schema.id], ...revisionOf(row) }
}

const revisionOf = ({ Revision }: Row) => (typeof Revision === 'number' ? { IfRevision: Revision } : {})

export async function updateRow(crm: Crm, schema: RecordSchema, row: Row, changes: Row, options?: CallOptions): Promise<Row> {
  const updated = flat(schema, (await crm.call(idOf(schema, 'update'), updateInput(schema, row, changes), options)) as Row)
  noteOwnWrite(row[schema.id], row.Revision, updated.Revision)
  return updated
}

/** The answer of a delete: how many records of each type referred to it, and no longer do. */
export interface Deletion {
  readonly Emptied?: { readonly [type: string]: number }
}

export async function deleteRow(crm: Crm, schema: RecordSchema, row: Row, options?: CallOptions): Promise<Deletion> {
  return (await crm.call(idOf(schema, 'delete'), deleteInput(schema, row), options)) as Deletion
}

/** The summary, where the record type has one. */
export async function summaryOf(crm: Crm, schema: RecordSchema, filters: RowQuery['filters'], options?: CallOptions): Promise<Row | undefined> {
  const summary = schema.operation('getSummary')
  return summary && ((await crm.call(summary.id, { Filters: filters }, options)) as Row)
}
