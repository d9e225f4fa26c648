import type { INodeProperties } from 'n8n-workflow'
import type { Field } from '../../src/contract/fields.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { OPERATIONS, RECORD_TYPES } from '../../src/contract/operations.ts'
import type { RecordType } from '../../src/contract/record.ts'
import { heading, remark, sorted, whether } from './words.ts'

/** What n8n says below a list of several values. */
export const EXPRESSION = 'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'

/** How a value is entered in n8n. */
export type Kind = 'text' | 'number' | 'boolean' | 'date' | 'timestamp' | 'list'

export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly (string | null)[]
  readonly description?: string
  readonly maxLength?: number
  readonly minimum?: number
}

interface Picker {
  readonly search: string
  readonly typed: 'By ID' | 'By Name' | 'By Value'
  /** Whether nothing is listed until something is typed. */
  readonly filterRequired?: true
}

/** The record types whose records are listed, to be picked by name. */
export const LISTED: readonly RecordType[] = RECORD_TYPES.filter(
  ({ name, names }) => names.length > 0 && OPERATIONS.some((operation) => operation.verb === 'getMany' && operation.record.name === name),
)

/** The name of the method that lists the records of a type. */
export const searchOf = ({ plural }: RecordType) => `search${plural.charAt(0).toUpperCase()}${plural.slice(1)}`

function pickerOfRecord(recordType: string | undefined): Picker | undefined {
  const type = LISTED.find(({ name }) => name === recordType)
  return type && { search: searchOf(type), typed: 'By ID' }
}

/** The name of the method that searches the values of a field. */
export const searchOfChoice = (record: RecordType, name: string) => `search${record.name}${name}`

function pickerOf(name: string, record: RecordType, field: Field | undefined): Picker | undefined {
  if (name === 'ObjectName') return { search: 'searchObjects', typed: 'By Name' }
  if (field?.kind === 'choice' && field.suggested) return { search: searchOfChoice(record, name), typed: 'By Value' }
  if (name === 'RecordID') return { search: 'searchRecords', typed: 'By ID', filterRequired: true }
  if (name === 'BatchID') return { search: 'searchBatches', typed: 'By ID' }
  if (name === 'ObjectID') return { search: 'searchCustomObjects', typed: 'By ID', filterRequired: true }
  return pickerOfRecord(field?.refers ?? RECORD_TYPES.find(({ id }) => id === name)?.name)
}

export function kindOf({ type, format }: Schema): Kind {
  const plain = [type].flat().find((one) => one !== 'null')
  if (plain === 'array') return 'list'
  if (plain === 'boolean') return 'boolean'
  if (plain === 'number' || plain === 'integer') return 'number'
  return format === 'date' ? 'date' : format === 'date-time' ? 'timestamp' : 'text'
}

/** The parameter type for each kind. */
export const ENTERED = {
  text: { type: 'string', default: '' },
  number: { type: 'number', default: 0 },
  boolean: { type: 'boolean', default: false },
  date: { type: 'dateTime', default: '' },
  timestamp: { type: 'dateTime', default: '' },
  list: { type: 'string', default: [], typeOptions: { multipleValues: true } },
} as const satisfies { readonly [kind in Kind]: Partial<INodeProperties> }

/** The display name: the label, or the name if it ends with ID or Date, which labels leave out. */
export function displayNameOf(name: string, { fields }: RecordType): string {
  const label = fields[name]?.label
  return heading(label && !/(?:ID|Date)$/.test(name) ? label : name)
}

/** One input or field of the contract as a parameter of n8n. */
export function parameter(name: string, schema: Schema, record: RecordType): INodeProperties {
  const field = record.fields[name]
  const displayName = displayNameOf(name, record)
  const kind = kindOf(schema)
  const about = schema.description
  const description = about === undefined ? undefined : kind === 'boolean' ? whether(about) : remark(about)
  const head = { displayName, name, ...(description !== undefined && description !== displayName && { description }) }
  const picker = pickerOf(name, record, field)
  if (picker) return { ...head, ...locator(picker) }
  const several = RECORD_TYPES.find(({ id }) => `${id}s` === name)
  if (several) return { ...head, ...multiple(several, description) }
  if (schema.enum) {
    const values = schema.enum.filter((value) => value !== null)
    const options = values.map((value) => ({ name: heading(value), value }))
    return { ...head, type: 'options', default: values[0] ?? '', options: sorted(options, (option) => option.name) }
  }
  const entered = ENTERED[kind]
  const long = schema.maxLength === LIMITS.longText
  return {
    ...head,
    ...entered,
    ...(kind === 'boolean' && description === undefined && { description: whether(`it is ${displayName.toLowerCase()}`) }),
    ...(long && { typeOptions: { rows: 4 } }),
    ...(schema.format === 'email' && { placeholder: 'name@email.com' }),
  }
}

/** Records of a type, several of which are picked. n8n has no locator for that. */
function multiple({ name, plural }: RecordType, description = ''): Partial<INodeProperties> & Pick<INodeProperties, 'type' | 'default'> {
  return {
    displayName: `${heading(name)} Names or IDs`,
    type: 'multiOptions',
    default: [],
    typeOptions: { loadOptionsMethod: `get${heading(plural)}`, loadOptionsDependsOn: ['WebhookID'] },
    description: `${description}. ${EXPRESSION}.`,
  }
}

export function locator({ search, typed, filterRequired }: Picker): Pick<INodeProperties, 'type' | 'default' | 'modes'> {
  return {
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        typeOptions: { searchListMethod: search, searchable: true, ...(filterRequired && { searchFilterRequired: true }) },
      },
      { displayName: typed, name: typed === 'By ID' ? 'id' : 'name', type: 'string' },
    ],
  }
}
