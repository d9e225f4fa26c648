import { CrmError, type Fault } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { nearest } from '../../contract/names.ts'
import { OPERATIONS, quote, RECORD_TYPES, STORE_TYPES } from '../../contract/operations.ts'
import { CustomObject } from '../../contract/records/custom-object.ts'

/** The record types that the console has tables of. */
export const VIEWED_TYPES = RECORD_TYPES.filter(
  ({ name }) => !STORE_TYPES.includes(name) && OPERATIONS.some(({ record, verb }) => record.name === name && verb === 'getMany'),
)

interface Changes {
  readonly Name?: string
  readonly Query?: string
  readonly Shared?: boolean
}

interface NewView extends Changes {
  readonly Name: string
  readonly Query: string
  readonly RecordType: string
  readonly ObjectName?: string
}

/** Longer addresses are of no use to all browsers and proxies. */
const QUERY_LENGTH = 4000

type Check = (value: unknown) => Omit<Fault, 'field'> | undefined

const text =
  (least: number, most: number): Check =>
  (value) => {
    if (typeof value !== 'string') return { code: 'type', message: 'must be a text' }
    const { length } = value.trim()
    return length < least || length > most
      ? { code: 'length', message: `must have ${least} to ${most} characters`, expected: `${least} to ${most} characters` }
      : undefined
  }

const TYPE_NAMES = VIEWED_TYPES.map(({ name }) => name)
const recordType: Check = (value) => {
  if (TYPE_NAMES.some((name) => name === value)) return undefined
  const [near] = nearest(String(value), TYPE_NAMES)
  return { code: 'value', message: 'must be a record type with a table', expected: TYPE_NAMES.join(', '), ...(near && { didYouMean: near }) }
}

const CHANGES: { readonly [name: string]: Check } = {
  Name: text(1, LIMITS.name),
  Query: text(0, QUERY_LENGTH),
  Shared: (value) => (typeof value === 'boolean' ? undefined : { code: 'type', message: 'must be true or false' }),
}
const NEW: { readonly [name: string]: Check } = { RecordType: recordType, ObjectName: text(1, LIMITS.name), ...CHANGES }

export const readChanges = (input: unknown) => read<Changes>(input, CHANGES, [])

export function readNewView(input: unknown): NewView {
  const { RecordType } = Object(input) as { readonly RecordType?: unknown }
  const { ObjectName, ...others } = NEW
  return read<NewView>(input, RecordType === CustomObject.name ? NEW : others, [
    'RecordType',
    'Name',
    'Query',
    ...(RecordType === CustomObject.name ? ['ObjectName'] : []),
  ])
}

/** The input, its name trimmed; or refuses it with all its faults. */
function read<T extends { readonly Name?: string }>(input: unknown, checks: { readonly [name: string]: Check }, required: readonly string[]): T {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new CrmError('invalid_input', 'The body must be a JSON object.')
  const given = input as { readonly [name: string]: unknown }
  const missing = required.filter((name) => given[name] === undefined).map((field): Fault => ({ field, code: 'missing', message: `${field} is missing.` }))
  const wrong = Object.entries(given).flatMap(([field, value]): Fault[] => {
    if (!Object.hasOwn(checks, field))
      return [{ field, code: 'unknown', message: `There is no input called ${quote(field)}.`, expected: Object.keys(checks).join(', ') }]
    const fault = checks[field]?.(value)
    return fault ? [{ ...fault, field, message: `${field} ${fault.message}.` }] : []
  })
  const errors = [...missing, ...wrong].slice(0, LIMITS.list)
  if (errors.length > 0) throw new CrmError('invalid_input', errors.map(({ message }) => message).join(' '), { errors })
  return { ...(input as T), ...(typeof given.Name === 'string' && { Name: given.Name.trim() }) }
}
