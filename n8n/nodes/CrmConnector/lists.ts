import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow'
import { call } from './call.ts'
import { CHOICES } from './choices.ts'
import { describe, isFurther, recordOf, titleOf } from './described.ts'
import { picked } from './values.ts'

type Search = (this: ILoadOptionsFunctions, filter?: string, token?: string) => Promise<INodeListSearchResult>

const PAGE = 100

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
