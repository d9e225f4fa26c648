import { type CompleteResult, type ReadResourceResult, type Resource, ResourceNotFoundError, type ResourceTemplateType } from '@modelcontextprotocol/server'
import { describe } from '../../contract/describe.ts'
import type { Verb } from '../../contract/operation.ts'
import { CustomObject } from '../../contract/records/custom-object.ts'
import type { Session } from './backend.ts'
import { unknownName } from './protocol.ts'
import { offeredTools } from './tool-filter.ts'
import { withoutEmpty } from './truncate.ts'

const RECORDS = 'crm://records'
const OBJECTS = 'crm://objects'
const JSON_TYPE = 'application/json'

/** How many completions, or objects in a list, are returned at once. */
const MAX_VALUES = 100

interface Description {
  readonly RecordTypes: readonly { readonly Name: string; readonly Summary: string }[]
  readonly CustomObjects: readonly { readonly ObjectName: string }[]
}

/** Offered to every caller, so that they do not count as access to a record type. */
const GENERAL: readonly Verb[] = ['describe', 'getCurrentUser']

/** The record types and objects of the tools offered to the caller; none where the caller may not describe. */
async function described({ backend, filter }: Session): Promise<Description> {
  const operations = offeredTools(await backend.access(), filter)
  if (!operations.some(({ id }) => id === describe.id)) return { RecordTypes: [], CustomObjects: [] }
  const types = new Set(operations.filter(({ verb }) => !GENERAL.includes(verb)).map(({ record }) => record.name))
  const { RecordTypes, CustomObjects } = (await backend.call(describe.id, {})) as Description
  return { RecordTypes: RecordTypes.filter(({ Name }) => types.has(Name)), CustomObjects: types.has(CustomObject.name) ? CustomObjects : [] }
}

export const TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: `${RECORDS}/{RecordType}`,
    name: 'record-type',
    title: 'A record type',
    description: 'Its fields, the values that are allowed and the operators filters may use.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${OBJECTS}/{ObjectName}`,
    name: 'custom-object',
    title: 'A custom object',
    description: 'The fields that the workspace has defined for it, and the operators filters may use.',
    mimeType: JSON_TYPE,
  },
]

export async function listResources(session: Session): Promise<Resource[]> {
  const { RecordTypes, CustomObjects } = await described(session)
  if (RecordTypes.length === 0) return []
  return [
    { uri: RECORDS, name: 'records', title: 'Record types', description: 'What there is: the record types and the custom objects.', mimeType: JSON_TYPE },
    ...RecordTypes.map(({ Name, Summary }) => ({ uri: `${RECORDS}/${Name}`, name: Name, title: Name, description: Summary, mimeType: JSON_TYPE })),
    ...CustomObjects.slice(0, MAX_VALUES).map(({ ObjectName }) => ({
      uri: `${OBJECTS}/${ObjectName}`,
      name: ObjectName,
      title: ObjectName,
      description: 'A custom object of this workspace.',
      mimeType: JSON_TYPE,
    })),
  ]
}

export async function readResource(session: Session, uri: string): Promise<ReadResourceResult> {
  const { RecordTypes, CustomObjects } = await described(session)
  const [, kind, name] = /^crm:\/\/(records|objects)(?:\/(\w+))?$/.exec(uri) ?? []
  const found =
    kind === 'objects'
      ? CustomObjects.find(({ ObjectName }) => ObjectName === name)
      : name === undefined
        ? kind && RecordTypes.length > 0 && overview({ RecordTypes, CustomObjects })
        : RecordTypes.find(({ Name }) => Name === name)
  if (!found) throw new ResourceNotFoundError(uri, `There is no resource ${JSON.stringify(uri.slice(0, 200))}. ${RECORDS} lists what there is.`)
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(withoutEmpty(found)) }] }
}

function overview({ RecordTypes, CustomObjects }: Description) {
  return {
    RecordTypes: RecordTypes.map(({ Name, Summary }) => ({ Name, Summary, Resource: `${RECORDS}/${Name}` })),
    CustomObjects: CustomObjects.map(({ ObjectName }) => ({ ObjectName, Resource: `${OBJECTS}/${ObjectName}` })),
  }
}

export async function completeResource(session: Session, uriTemplate: string, typed: string): Promise<CompleteResult['completion']> {
  const templates = TEMPLATES.map((template) => template.uriTemplate)
  if (!templates.includes(uriTemplate)) throw unknownName('resource template', uriTemplate, templates)
  const { RecordTypes, CustomObjects } = await described(session)
  const names = uriTemplate.startsWith(OBJECTS) ? CustomObjects.map(({ ObjectName }) => ObjectName) : RecordTypes.map(({ Name }) => Name)
  const fitting = names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()))
  return { values: fitting.slice(0, MAX_VALUES), total: fitting.length, hasMore: fitting.length > MAX_VALUES }
}
