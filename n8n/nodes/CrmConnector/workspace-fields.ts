import type { FieldType, ILoadOptionsFunctions, ResourceMapperField, ResourceMapperFields } from 'n8n-workflow'
import { type Described, describe, isFurther, recordOf, titleOf } from './described.ts'
import { KINDS } from './kinds.ts'
import { ParameterFault } from './parameter-fault.ts'
import type { KindTable } from './tables.ts'
import { isObject, valueAs } from './values.ts'

type MappedKind = KindTable[string]

/** What n8n stores with the values. Its types do not tell a date from a time, so that the kind is stored too. */
interface Mapped extends ResourceMapperField {
  readonly kind?: MappedKind
}

const TYPES: { readonly [kind in MappedKind]: FieldType } = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'dateTime',
  timestamp: 'dateTime',
  list: 'array',
  json: 'object',
}

/** How values are read in a workflow that n8n's editor has not written, and that has types only. */
const KIND_OF_TYPE: { readonly [type in FieldType]?: MappedKind } = {
  string: 'text',
  options: 'text',
  number: 'number',
  boolean: 'boolean',
  dateTime: 'timestamp',
  array: 'list',
  object: 'json',
}

const NONE = 'There are no fields beyond the standard ones here. <i>Define Field</i> adds some, and those of a CRM account are found by themselves.'

/** The writable fields beyond the contract, for n8n's resource mapper. */
export async function getWorkspaceFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const record = recordOf(this)
  const { RecordTypes } = await describe(this, record)
  // A record that is there already may have its required values.
  const creates = this.getCurrentNodeParameter('operation') === 'create'
  const fields = RecordTypes.flatMap(({ Fields }) => Fields).filter((field) => isFurther(record, field))
  return { fields: fields.map((field) => mapped(field, creates)), ...(fields.length === 0 && { emptyFieldsNotice: NONE }) }
}

function mapped(field: Described, creates: boolean): Mapped {
  const kind = KINDS[field.Type] ?? 'text'
  const values = kind === 'text' ? field.AllowedValues : null
  return {
    id: field.Name,
    displayName: titleOf(field),
    type: values ? 'options' : TYPES[kind],
    kind,
    required: creates && field.Required,
    display: true,
    defaultMatch: false,
    canBeUsedToMatch: false,
    ...(values && { options: values.map((value) => ({ name: value, value })) }),
  }
}

/** The values of the fields that are shown: n8n keeps false for a boolean that is not. */
export function workspaceValues(given: unknown, zone: string): [name: string, value: unknown][] {
  const { value, schema } = (given ?? {}) as { readonly value?: unknown; readonly schema?: readonly Mapped[] | null }
  if (!isObject(value)) return []
  const fields = new Map((schema ?? []).map((field) => [field.id, field]))
  return Object.entries(value).flatMap(([name, entered]): [string, unknown][] => {
    const field = fields.get(name)
    return field?.removed === true ? [] : [[name, field ? read(name, field, entered, zone) : entered]]
  })
}

function read(name: string, { kind, type = 'string' }: Mapped, entered: unknown, zone: string): unknown {
  const as = kind ?? KIND_OF_TYPE[type]
  if (as === undefined) return entered
  if (as === 'json') return typeof entered === 'string' && entered !== '' ? jsonIn(name, entered) : entered
  return valueAs(as, as === 'list' && typeof entered === 'string' ? listIn(entered) : entered, zone)
}

function jsonIn(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(name, error as Error)
  }
}

const notJson = (name: string, { message }: Error) =>
  new ParameterFault(`WorkspaceFields.${name}`, `${name} is not JSON: ${message}.`, { code: 'form', hint: 'Names and texts need double quotes.' })

/** A list as n8n's editor wants it, in JSON; or as it is, with commas between the values. */
function listIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : text
  } catch {
    return text
  }
}
