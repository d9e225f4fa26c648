import type { INodeProperties } from 'n8n-workflow'
import type { Field } from '../../src/contract/fields.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import type { RecordType } from '../../src/contract/record.ts'
import { heading, remark, sorted, whether } from './words.ts'

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
}

const BY_TYPE: { readonly [recordType: string]: Picker } = {
  User: { search: 'searchUsers', typed: 'By ID' },
  Campaign: { search: 'searchCampaigns', typed: 'By ID' },
}

/** The inputs that refer to a record type, where the field does not say so. */
const REFERS: { readonly [input: string]: string } = { UserID: 'User', CampaignID: 'Campaign' }

/** The name of the method that searches the values of a field. */
export const searchOfChoice = (record: RecordType, name: string) => `search${record.name}${name}`

function pickerOf(name: string, record: RecordType, field: Field | undefined): Picker | undefined {
  if (name === 'ObjectName') return { search: 'searchObjects', typed: 'By Name' }
  if (field?.kind === 'choice' && field.suggested) return { search: searchOfChoice(record, name), typed: 'By Value' }
  return BY_TYPE[field?.refers ?? REFERS[name] ?? '']
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

export function locator({ search, typed }: Picker): Pick<INodeProperties, 'type' | 'default' | 'modes'> {
  return {
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    modes: [
      { displayName: 'From List', name: 'list', type: 'list', typeOptions: { searchListMethod: search, searchable: true } },
      { displayName: typed, name: typed === 'By ID' ? 'id' : 'name', type: 'string' },
    ],
  }
}
