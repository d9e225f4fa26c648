import { FIELD_KINDS } from '../../contract/fields.ts'
import type { Operation, Verb } from '../../contract/operation.ts'
import { namesWithOperators, namesWithTypes, OWN_BYTES, select } from './field-names.ts'
import { optionSchemas } from './option-arguments.ts'
import { type ObjectSchema, type Schema, typed } from './schema.ts'

/** The tools that name the fields of the record types. The others that take them refer to those. */
export interface Naming {
  readonly tools: ReadonlyMap<string, string>
  /** The bytes that each of them has for an account's own fields. */
  readonly room: number
}

/** The first of these operations that takes the fields of a record type names them. */
export function namingOf(operations: readonly Operation[]): Naming {
  const taking = operations.filter(({ verb, record }) => FIELD_VERBS.includes(verb) && !record.userDefined)
  const tools = new Map([...taking].reverse().map(({ id, record }) => [record.name, id]))
  const extended = taking.filter(({ id, record }) => tools.get(record.name) === id && Object.values(record.fields).some(({ extra }) => extra))
  return { tools, room: OWN_BYTES / Math.max(1, extended.length) }
}

const FIELD_VERBS: readonly Verb[] = ['create', 'getMany', 'getSummary', 'update', 'upsert']
/** The verbs whose inputs are the fields themselves. */
const FLAT_VERBS: readonly Verb[] = ['create', 'upsert']

/**
 * The input of a tool: a short form of the operation's input, and the options of the call. Written for the agent; the contract checks the
 * input itself, so bounds that are rarely met are left out.
 */
export function inputSchemaOf(operation: Operation, naming: Naming): ObjectSchema {
  const { properties, required = [] } = operation.input as unknown as { properties: Record<string, Schema>; required?: string[] }
  const fields = fieldArguments(operation)
  const { shown } = argumentFields(operation, naming)
  const own = Object.entries(properties).filter(([name]) => !fields.includes(name) || shown.includes(name))
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...own.map(([name, schema]) => [name, ownSchema(operation, name, schema, naming)]),
      ...Object.entries(optionSchemas(operation)).map(([name, { type }]) => [name, { type }]),
    ]),
    ...(required.length > 0 && { required: required.filter((name) => !fields.includes(name) || shown.includes(name)) }),
  }
}

/** The fields of the record that are arguments themselves. */
function fieldArguments({ verb, input, record }: Operation): string[] {
  const { properties } = input as unknown as { properties: object }
  return FLAT_VERBS.includes(verb) ? Object.keys(properties).filter((name) => Object.hasOwn(record.fields, name)) : []
}

/** Of those, the ones that are shown with their types, and a sentence that names the others. */
export function argumentFields(operation: Operation, naming: Naming): { readonly shown: readonly string[]; readonly others?: string } {
  const { record, id } = operation
  const fields = fieldArguments(operation)
  if (fields.length === 0) return { shown: [] }
  const there = naming.tools.get(record.name)
  if (there !== id) return { shown: [], others: `Fields as in ${there}.` }
  const selection = select(
    record,
    fields.filter((name) => !isAbsent(operation, name)),
    naming.room,
  )
  const others = namesWithTypes(record, selection)
  return { shown: selection.shown, ...(others && { others: `Also ${others}.` }) }
}

function ownSchema(operation: Operation, name: string, schema: Schema, naming: Naming): Schema {
  const { record, id } = operation
  const there = naming.tools.get(record.name)
  const reference = there !== undefined && there !== id ? { type: 'object', description: `As in ${there}.` } : undefined
  if (name === 'Filters') return reference ?? filtersOf(operation, naming)
  if (name === 'Include') return { type: 'array', items: { type: 'string' } }
  if (name === 'Fields') return definitionsOf(operation, schema)
  if (name === 'Opportunity') return { type: 'object', description: `As in ${naming.tools.get('Opportunity') ?? 'describe'}.` }
  if (name === 'FieldsToUpdate' && !record.userDefined) return reference ?? patchOf(operation, schema, naming)
  const { description: _explained, ...rest } = schema
  // What a field is for is in `describe`; an agent needs values to choose from where it has to give one.
  if (Object.hasOwn(record.fields, name) && name !== record.state && !record.fields[name]?.required) return brief(name, { ...rest, examples: undefined })
  return brief(name, schema)
}

/** Definitions of user-defined fields, shown by the first tool that takes them. */
function definitionsOf({ verb }: Operation, schema: Schema): Schema {
  if (verb === 'upsertCustom') return { type: 'object', description: 'As in create_custom_object.' }
  return brief('Fields', { ...schema, description: 'By name; Value alone once defined.' })
}

/** Whether the platform does not support a field. */
const isAbsent = ({ record: { fields } }: Operation, name: string) => fields[name]?.absent !== undefined

function patchOf(operation: Operation, { properties = {} }: Schema, { room }: Naming): Schema {
  const { record } = operation
  const { shown, named, left } = select(
    record,
    Object.keys(properties).filter((name) => !isAbsent(operation, name)),
    room,
  )
  return { type: 'object', description: `${namesWithTypes(record, { named: [...shown, ...named], left })}.` }
}

/** The fields that can be filtered by, with their operators. */
function filtersOf(operation: Operation, { room }: Naming): Schema {
  const { record } = operation
  const all = Object.entries(record.fields).flatMap(([name, { kind, access }]) =>
    FIELD_KINDS[kind] && access !== 'secret' && !isAbsent(operation, name) ? [name] : [],
  )
  const { shown, named, left } = select(record, all, room)
  const listed = all.filter((name) => shown.includes(name) || named.includes(name))
  return { type: 'object', description: `${namesWithOperators(record, listed, left)}${record.userDefined ? '; its own fields' : ''}` }
}

/** Explained once in the instructions of the server. */
const EXPLAINED = new Set([
  'Limit',
  'Cursor',
  'After',
  'OrderBy',
  'Select',
  'Include',
  'Fresh',
  'MatchBy',
  'IfRevision',
  'Text',
  'RecordTypes',
  'RecordType',
  'ObjectName',
  'Publish',
])
/** Formats that need no description. */
const PLAIN = new Set<unknown>(['date', 'email', 'money'])

function brief(name: string, schema: Schema): Schema {
  const { type, enum: values, format, items, properties, additionalProperties, examples, description } = schema
  const plain = EXPLAINED.has(name) || PLAIN.has(format) || name.endsWith('ID')
  const text = Array.isArray(examples) && examples.length > 1 ? `e.g. ${some(examples)}` : plain ? undefined : description
  return {
    ...(type !== undefined && { type: withoutNull(type) }),
    ...(values !== undefined && { enum: values }),
    ...(format === 'date' && { format }),
    ...(items !== undefined && { items: brief('', items as Schema) }),
    ...(properties && { properties: members(properties) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: brief('', additionalProperties as Schema) }),
    ...(additionalProperties === true && { additionalProperties }),
    ...(text !== undefined && { description: text }),
  }
}

/** How many bytes of the values of a choice are shown; an account may have any number of them. */
const EXAMPLE_BYTES = 72

function some(examples: readonly unknown[]): string {
  let [head = '', ...rest] = examples.map(String)
  for (const one of rest) if (Buffer.byteLength(head) + Buffer.byteLength(one) < EXAMPLE_BYTES) head += `, ${one}`
  return head
}

function members(properties: { readonly [name: string]: Schema }) {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, one.type === undefined ? ANYTHING : brief(name, one)]))
}

const ANYTHING = typed(['string', 'number', 'boolean'])

/** Outside of FieldsToUpdate null means the same as leaving the field out, and is not offered. */
function withoutNull(type: string | readonly string[]): string | readonly string[] {
  const types = [type].flat().filter((one) => one !== 'null')
  return types.length === 1 ? (types[0] as string) : types
}
