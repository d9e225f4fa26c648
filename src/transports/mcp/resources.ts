import { type ReadResourceResult, type Resource, ResourceNotFoundError, type ResourceTemplateType } from '@modelcontextprotocol/server'
import { describe } from '../../contract/describe.ts'
import { CrmError } from '../../contract/errors.ts'
import type { Operation, Verb } from '../../contract/operation.ts'
import { words } from '../../contract/record.ts'
import { CustomObject } from '../../contract/records/custom-object.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { Session } from './backend.ts'
import { compactAnswer } from './compact-answer.ts'
import { compactDescription } from './compact-description.ts'
import { type Completion, completeFrom, completeId } from './completion.ts'
import { EVENTS, eventsTemplates, listEvents, readEvents } from './events-resource.ts'
import { fit, fits } from './fit.ts'
import { BUDGET } from './option-arguments.ts'
import { unknownName } from './protocol.ts'
import { shorten } from './shown-answer.ts'
import { renderJson, renderText } from './text-rendering.ts'
import { offeredTools } from './tool-filter.ts'
import { TOOLS } from './tools.ts'
import { type Extent, type Members, withoutEmpty } from './truncate.ts'
import { withUserNames } from './user-names.ts'

const RECORDS = 'crm://records'
const OBJECTS = 'crm://objects'
const JSON_TYPE = 'application/json'

/** How many objects are listed at once. */
const MAX_OBJECTS = 100

interface Description {
  readonly RecordTypes: readonly { readonly Name: string; readonly Summary: string }[]
  readonly CustomObjects: readonly { readonly ObjectName: string }[]
}

/** Offered whatever record types a caller may read, so that they do not count as access to one. */
const GENERAL: readonly Verb[] = ['describe', 'getCurrentUser', 'search']

/** The record types and objects of the tools offered to the caller; none where the caller may not describe. */
async function described({ backend, filter }: Session): Promise<Description> {
  const operations = offeredTools(await backend.access(), filter)
  if (!operations.some(({ id }) => id === describe.id)) return { RecordTypes: [], CustomObjects: [] }
  const types = new Set(operations.filter(({ verb }) => !GENERAL.includes(verb)).map(({ record }) => record.name))
  const { RecordTypes, CustomObjects } = (await backend.call(describe.id, {})) as Description
  return { RecordTypes: RecordTypes.filter(({ Name }) => types.has(Name)), CustomObjects: types.has(CustomObject.name) ? CustomObjects : [] }
}

const DESCRIPTIONS: ResourceTemplateType[] = [
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

/** Resources of which changes are announced: the events, and every record that can be read. */
export const SUBSCRIBABLE = `^crm://(events|(${TOOLS.flatMap(({ verb, record }) => (verb === 'get' ? [record.plural] : [])).join('|')})/[\\w-]+)$`

/** The record types of which the caller may read a record, by the operation that does. */
export async function readable({ backend, filter }: Session): Promise<readonly Operation[]> {
  return offeredTools(await backend.access(), filter).filter(({ verb }) => verb === 'get')
}

export const uriOf = ({ record }: Operation, id: string): string => `crm://${record.plural}/${id}`
const templateOf = (operation: Operation) => uriOf(operation, `{${operation.record.id}}`)

export async function listTemplates(session: Session): Promise<ResourceTemplateType[]> {
  const records = (await readable(session)).map((operation) => ({
    uriTemplate: templateOf(operation),
    name: words(operation.record.name).toLowerCase().replaceAll(' ', '-'),
    title: words(operation.record.name),
    description: `One ${words(operation.record.name).toLowerCase()}, as ${operation.id} answers.`,
    mimeType: JSON_TYPE,
  }))
  return [...DESCRIPTIONS, ...records, ...(await eventsTemplates(session))]
}

export async function listResources(session: Session): Promise<Resource[]> {
  const { RecordTypes, CustomObjects } = await described(session)
  if (RecordTypes.length === 0) return []
  return [
    ...(await listEvents(session)),
    { uri: RECORDS, name: 'records', title: 'Record types', description: 'What there is: the record types and the custom objects.', mimeType: JSON_TYPE },
    ...RecordTypes.map(({ Name, Summary }) => ({ uri: `${RECORDS}/${Name}`, name: Name, title: Name, description: Summary, mimeType: JSON_TYPE })),
    ...CustomObjects.slice(0, MAX_OBJECTS).map(({ ObjectName }) => ({
      uri: `${OBJECTS}/${ObjectName}`,
      name: ObjectName,
      title: ObjectName,
      description: 'A custom object of this workspace.',
      mimeType: JSON_TYPE,
    })),
  ]
}

export async function readResource(session: Session, uri: string): Promise<ReadResourceResult> {
  const read = (await readEvents(session, uri)) ?? (await readRecord(session, uri))
  if (read) return { contents: [{ uri, mimeType: JSON_TYPE, text: quoted(read) }] }
  const { RecordTypes, CustomObjects } = await described(session)
  const [, kind, name] = /^crm:\/\/(records|objects)(?:\/(\w+))?$/.exec(uri) ?? []
  const found =
    kind === 'objects'
      ? CustomObjects.find(({ ObjectName }) => ObjectName === name)
      : name === undefined
        ? kind && RecordTypes.length > 0 && overview({ RecordTypes, CustomObjects })
        : RecordTypes.find(({ Name }) => Name === name)
  if (!found) throw new ResourceNotFoundError(uri, `There is no resource ${quoted(uri.slice(0, 200))}. ${RECORDS} lists what there is.`)
  return { contents: [{ uri, mimeType: JSON_TYPE, text: fitting(found) }] }
}

/** A description that fits: in full, or else with one line for each field. */
function fitting(found: object): string {
  const whole = withoutEmpty(found) as Members
  if (!('Fields' in found) || fits({ text: quoted(whole), structure: whole }, BUDGET.default)) return within(whole)
  const isType = 'Name' in found
  const { RecordTypes, CustomObjects, Operators } = compactDescription({ RecordTypes: isType ? [found] : [], CustomObjects: isType ? [] : [found] }, [])
  const [brief] = (isType ? RecordTypes : CustomObjects) as readonly Members[]
  return within({ ...brief, Operators }, 'labels, descriptions and lengths, which describe shows')
}

function within(members: Members, ...left: readonly string[]): string {
  const show = (extent: Extent) => {
    const { cut = [], ...shown } = shorten(members, extent)
    return { ...shown, cut: [...left, ...cut] }
  }
  return fit({ show, render: renderJson, instead: 'describe shows more, with a larger Budget' }, BUDGET.default).text
}

function overview({ RecordTypes, CustomObjects }: Description) {
  return {
    RecordTypes: RecordTypes.map(({ Name, Summary }) => ({ Name, Summary, Resource: `${RECORDS}/${Name}` })),
    CustomObjects: CustomObjects.map(({ ObjectName }) => ({ ObjectName, Resource: `${OBJECTS}/${ObjectName}` })),
  }
}

/** The record that an address of the templates names, in brief. */
async function readRecord(session: Session, uri: string): Promise<Members | undefined> {
  const [, plural, id = ''] = /^crm:\/\/(\w+)\/([\w-]+)$/.exec(uri) ?? []
  const get = (await readable(session)).find(({ record }) => record.plural === plural)
  if (!get) return undefined
  try {
    const answer = (await withUserNames(session.backend, get, await session.backend.call(get.id, { [get.record.id]: id }))) as Members
    session.backend.seen.note(get, answer)
    return fit({ show: (extent) => compactAnswer(get, answer, extent), render: renderText }, BUDGET.default).structure
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_found') return undefined
    throw error
  }
}

export async function completeResource(session: Session, uriTemplate: string, argument: string, typed: string): Promise<Completion> {
  const templates = (await listTemplates(session)).map((template) => template.uriTemplate)
  if (!templates.includes(uriTemplate)) throw unknownName('resource template', uriTemplate, templates)
  const [, variable = ''] = /\{(\w+)\}/.exec(uriTemplate) ?? []
  if (argument !== variable) throw unknownName('argument', argument, [variable])
  const get = (await readable(session)).find((operation) => templateOf(operation) === uriTemplate)
  if (get) return completeId(session, get.record, typed)
  if (uriTemplate.startsWith(EVENTS)) return { values: [] }
  const { RecordTypes, CustomObjects } = await described(session)
  return completeFrom(uriTemplate.startsWith(OBJECTS) ? CustomObjects.map(({ ObjectName }) => ObjectName) : RecordTypes.map(({ Name }) => Name), typed)
}
