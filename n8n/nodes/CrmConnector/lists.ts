import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow'
import { call } from './call.ts'
import { CHOICES } from './choices.ts'
import { FIELDS } from './fields.ts'
import { OPERATIONS } from './operations.ts'
import { picked } from './values.ts'

type Search = (this: ILoadOptionsFunctions, filter?: string, token?: string) => Promise<INodeListSearchResult>

const PAGE = 100

interface Described {
  readonly Name: string
  readonly Label: string
  readonly Writable: boolean
  readonly AllowedValues: readonly string[] | null
  readonly SuggestedValues: readonly string[] | null
}

interface Description {
  readonly RecordTypes: readonly { readonly Fields: readonly Described[] }[]
  readonly CustomObjects: readonly { readonly ObjectName: string; readonly Fields: readonly Described[] }[]
}

/** Records whose name contains the typed text, page by page. */
function byName(operation: string, name: string, id: string): Search {
  return async function (this: ILoadOptionsFunctions, filter, token) {
    const { body } = await call(this, operation, {
      Limit: PAGE,
      OrderBy: name,
      Select: [name],
      ...(filter && { Filters: { [name]: { contains: filter } } }),
      ...(token && { Cursor: token }),
    })
    const { Records, NextCursor } = body as unknown as { Records: IDataObject[]; NextCursor: string | null }
    return {
      results: Records.map((record) => ({ name: String(record[name]), value: String(record[id]) })),
      ...(NextCursor !== null && { paginationToken: NextCursor }),
    }
  }
}

const describe = async (context: ILoadOptionsFunctions, RecordType: string) => (await call(context, 'describe', { RecordType })).body as unknown as Description

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
  const [resource, verb] = ['resource', 'operation'].map((name) => String(context.getCurrentNodeParameter(name)))
  const record = OPERATIONS[resource ?? '']?.[verb ?? '']?.record ?? 'Lead'
  const { RecordTypes, CustomObjects } = await describe(context, record)
  const objectName = picked(context.getCurrentNodeParameter('ObjectName'))
  const objects = CustomObjects.filter(({ ObjectName }) => !objectName || ObjectName === objectName)
  const known = FIELDS[record] ?? {}
  const fields = [...RecordTypes, ...objects]
    .flatMap(({ Fields }) => Fields)
    .filter(({ Name, Writable }) => !others || (Writable && !Object.hasOwn(known, Name)))
  return [...new Map(fields.map(({ Name, Label }) => [Name, { name: Label === Name ? Name : `${Label} (${Name})`, value: Name }])).values()]
}

export async function getFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return fieldsOf(this)
}

/** The searches of the node's editor, by the names that the parameters use. */
export const listSearch: { [name: string]: Search } = {
  searchUsers: byName('get_many_users', 'Name', 'UserID'),
  searchCampaigns: byName('get_many_campaigns', 'CampaignName', 'CampaignID'),
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
