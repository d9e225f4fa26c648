import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow'
import { call } from './call.ts'
import { CHOICES } from './choices.ts'
import { describe, isFurther, recordOf, titleOf } from './described.ts'
import { LISTED } from './listed.ts'
import type { Listed } from './tables.ts'
import { picked } from './values.ts'

type Search = (this: ILoadOptionsFunctions, filter?: string, token?: string) => Promise<INodeListSearchResult>

const PAGE = 100
/** The most that a page may have. */
const LARGEST_PAGE = 1000

interface Page {
  readonly Records: readonly IDataObject[]
  readonly NextCursor: string | null
}

const pageOf = async (context: ILoadOptionsFunctions, operation: string, input: object, token?: string, Limit = PAGE) =>
  (await call(context, operation, { ...input, Limit, ...(token && { Cursor: token }) })).body as unknown as Page

const listOf = (results: { name: string; value: string }[], { NextCursor }: Page): INodeListSearchResult => ({
  results,
  ...(NextCursor !== null && { paginationToken: NextCursor }),
})

/** The name of a record for people, or its id where it has none. */
function nameOf(record: IDataObject, names: readonly string[], id: string): string {
  const texts = names.map((name) => record[name]).filter((text) => typeof text === 'string' && text !== '')
  return texts.length > 0 ? texts.join(' ') : id
}

/** The records of a type, or those in which the typed words are found. */
function ofType({ record, operation, id, names, order, searched }: Listed): Search {
  return async function (this: ILoadOptionsFunctions, filter, token) {
    if (filter && searched) return found(this, filter, token, [record])
    const [first = id] = names
    const page = await pageOf(
      this,
      operation,
      { Select: names, ...(order && { OrderBy: order }), ...(filter && { Filters: { [first]: { contains: filter } } }) },
      token,
    )
    return listOf(
      page.Records.map((one) => ({ name: nameOf(one, names, String(one[id])), value: String(one[id]) })),
      page,
    )
  }
}

/** The records of several types in which the typed words are found. */
async function found(context: ILoadOptionsFunctions, filter: string, token?: string, types?: readonly string[]): Promise<INodeListSearchResult> {
  const page = await pageOf(context, 'search', { Text: filter, ...(types && { RecordTypes: types }) }, token)
  return listOf(
    page.Records.map(({ RecordType, Record }) => {
      const record = Record as IDataObject
      const { id, names } = Object.values(LISTED).find((one) => one.record === RecordType) ?? { id: 'ObjectID', names: [] }
      const values = Object.values((record.Values as IDataObject | undefined) ?? {}).filter((value) => typeof value === 'string')
      const name = names.length > 0 ? nameOf(record, names, String(record[id])) : String(values[0] ?? record[id])
      return { name: types?.length === 1 ? name : `${name} (${RecordType})`, value: String(record[id]) }
    }),
    page,
  )
}

const matching = (names: readonly { name: string; value: string }[], filter = ''): INodeListSearchResult => ({
  results: names.filter(({ name, value }) => `${name}\n${value}`.toLowerCase().includes(filter.toLowerCase())),
})

/** The allowed or suggested values of a field. */
function choicesOf(recordType: string, field: string): Search {
  return async function (this: ILoadOptionsFunctions, filter) {
    const { RecordTypes } = await describe(this, recordType)
    const described = RecordTypes[0]?.Fields.find(({ Name }) => Name === field)
    const values = described?.AllowedValues ?? described?.SuggestedValues ?? []
    return matching(
      values.map((value) => ({ name: value, value })),
      filter,
    )
  }
}

/** The fields of the record type, including those that the workspace defines; with `others` only these, if they are writable. */
async function fieldsOf(context: ILoadOptionsFunctions, others = false): Promise<{ name: string; value: string }[]> {
  const record = recordOf(context)
  const { RecordTypes, CustomObjects } = await describe(context, record)
  const objectName = picked(context.getCurrentNodeParameter('ObjectName'))
  const objects = CustomObjects.filter(({ ObjectName }) => !objectName || ObjectName === objectName)
  const fields = [...RecordTypes, ...objects].flatMap(({ Fields }) => Fields).filter((field) => !others || isFurther(record, field))
  return [...new Map(fields.map((field) => [field.Name, { name: titleOf(field), value: field.Name }])).values()]
}

export async function getFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return fieldsOf(this)
}

/** What is kept of the deliveries of the chosen webhook, the newest first. */
async function deliveriesOf(context: ILoadOptionsFunctions, operation: string, idName: string, about: readonly string[]): Promise<INodePropertyOptions[]> {
  const WebhookID = picked(context.getCurrentNodeParameter('WebhookID'))
  if (!WebhookID) return []
  const { Records } = await pageOf(context, operation, { Filters: { WebhookID }, Select: about }, undefined, LARGEST_PAGE)
  return Records.map((one) => ({ name: nameOf(one, about, String(one[idName])), value: String(one[idName]) }))
}

export async function getDeliveries(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return deliveriesOf(this, 'get_many_deliveries', 'DeliveryID', ['EventType', 'RecordID', 'State', 'CreatedDate'])
}

export async function getAttempts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return deliveriesOf(this, 'get_many_attempts', 'AttemptID', ['EventType', 'RecordID', 'SentDate'])
}

/** The batches that changes were made in, the newest first. One whose changes go on in the next page is not repeated there. */
async function batchesOf(context: ILoadOptionsFunctions, filter?: string, token?: string): Promise<INodeListSearchResult> {
  const [cursor, listed] = token?.split(' ') ?? []
  const Filters = { BatchID: { ne: null }, ...(filter && { Operation: { contains: filter } }) }
  const page = await pageOf(context, 'get_many_changes', { Filters, Select: ['BatchID', 'Operation', 'At'] }, cursor, LARGEST_PAGE)
  const batches = new Map(page.Records.map(({ BatchID, Operation, At }) => [String(BatchID), `${Operation} at ${At}`]))
  if (listed !== undefined) batches.delete(listed)
  const results = [...batches].map(([value, name]) => ({ name, value }))
  return listOf(results, { ...page, NextCursor: page.NextCursor && `${page.NextCursor} ${page.Records.at(-1)?.BatchID}` })
}

/** The searches of the node's editor, by the names that the parameters use. */
export const listSearch: { [name: string]: Search } = {
  ...Object.fromEntries(Object.entries(LISTED).map(([name, listed]) => [name, ofType(listed)])),
  async searchRecords(this: ILoadOptionsFunctions, filter, token) {
    const type = picked(this.getCurrentNodeParameter('RecordType'))
    return filter ? found(this, filter, token, type ? [String(type)] : undefined) : { results: [] }
  },
  async searchBatches(this: ILoadOptionsFunctions, filter, token) {
    return batchesOf(this, filter, token)
  },
  async searchCustomObjects(this: ILoadOptionsFunctions, filter, token) {
    return filter ? found(this, filter, token, ['CustomObject']) : { results: [] }
  },
  async searchObjects(this: ILoadOptionsFunctions, filter) {
    const { CustomObjects } = await describe(this, 'CustomObject')
    return matching(
      CustomObjects.map(({ ObjectName }) => ({ name: ObjectName, value: ObjectName })),
      filter,
    )
  },
  async searchFields(this: ILoadOptionsFunctions, filter) {
    return matching(await fieldsOf(this), filter)
  },
  async searchOtherFields(this: ILoadOptionsFunctions, filter) {
    return matching(await fieldsOf(this, true), filter)
  },
  ...Object.fromEntries(Object.entries(CHOICES).map(([name, [recordType, field]]) => [name, choicesOf(recordType, field)])),
}
