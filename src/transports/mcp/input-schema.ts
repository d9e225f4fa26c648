import { FIELD_KINDS } from '../../contract/fields.ts'
import type { Operation, Verb } from '../../contract/operation.ts'
import { argumentText } from './argument-text.ts'
import { namesWithOperators, namesWithTypes, OWN_BYTES, select } from './field-names.ts'
import { optionSchemas, sharedArguments, UNLISTED } from './option-arguments.ts'
import { type ObjectSchema, type Schema, typed } from './schema.ts'

/** The tools that name what several of them take. */
export interface Naming {
  /** By record type, the one that names its fields. The others refer to it. */
  readonly tools: ReadonlyMap<string, string>
  /** By shared argument, the one that lists it. */
  readonly shared: ReadonlyMap<string, string>
  /** The bytes that each of them has for an account's own fields. */
  readonly room: number
}

/** The first of these operations that takes the fields of a record type names them. */
export function namingOf(operations: readonly Operation[]): Naming {
  const taking = operations.filter(({ verb, record }) => FIELD_VERBS.includes(verb) && !record.userDefined)
  const tools = new Map([...taking].reverse().map(({ id, record }) => [record.name, id]))
  const extended = taking.filter(({ id, record }) => tools.get(record.name) === id && Object.values(record.fields).some(({ extra }) => extra))
  return { tools, shared: sharedArguments(operations), room: extended.length > 1 ? OWN_BYTES.each : OWN_BYTES.alone }
}

const FIELD_VERBS: readonly Verb[] = ['create', 'getMany', 'getSummary', 'update', 'upsert']
/** The verbs whose inputs are the fields themselves. */
const FLAT_VERBS: readonly Verb[] = ['create', 'upsert']

/**
 * The input of a tool: a short form of the operation's input, and the options of the call. Written for the agent; the contract checks the
 * input itself, so bounds that are rarely met are left out. Other arguments are allowed expressly: some clients send only those that a schema lists
 * unless it says so, and would lose what other tools list.
 */
export function inputSchemaOf(operation: Operation, naming: Naming): ObjectSchema {
  const { properties, required = [] } = operation.input as unknown as { properties: Record<string, Schema>; required?: string[] }
  const fields = fieldArguments(operation)
  const { shown } = argumentFields(operation, naming)
  const isListed = (name: string) =>
    (!fields.includes(name) || shown.includes(name)) && !UNLISTED.has(name) && (naming.shared.get(name) ?? operation.id) === operation.id
  return {
    type: 'object',
    properties: Object.fromEntries(
      [
        ...Object.entries(properties).map(([name, schema]) => [name, ownSchema(operation, name, schema, naming)] as const),
        ...Object.entries(optionSchemas(operation)).map(([name, { type }]) => [name, { type, description: argumentText(operation, name) }] as const),
      ].filter(([name]) => isListed(name)),
    ),
    ...(required.length > 0 && { required: required.filter((name) => !fields.includes(name) || shown.includes(name)) }),
    additionalProperties: true,
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
  const { record, id, verb } = operation
  const there = naming.tools.get(record.name)
  const reference = there !== undefined && there !== id && FIELD_VERBS.includes(verb) ? { type: 'object', description: `As in ${there}.` } : undefined
  if (name === 'Filters') return reference ?? filtersOf(operation, naming)
  if (name === 'Include' || name === 'RecordTypes') return { type: 'array', items: { type: 'string' }, description: argumentText(operation, name) }
  if (name === 'Fields') return definitionsOf(operation, schema)
  if (name === 'Opportunity') return { type: 'object', description: `As in ${naming.tools.get('Opportunity') ?? 'describe'}.` }
  if (name === 'FieldsToUpdate' && !record.userDefined) return reference ?? patchOf(operation, schema, naming)
  return { ...structureOf(schema), description: argumentText(operation, name, schema) }
}

/** Definitions of user-defined fields, shown by the first tool that takes them. */
function definitionsOf({ verb }: Operation, schema: Schema): Schema {
  if (verb === 'upsertCustom') return { type: 'object', description: 'As in create_custom_object.' }
  return { ...structureOf(schema), description: 'By name; Value alone once defined.' }
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

/** The types of a value and of what it holds. */
function structureOf({ type, enum: values, format, items, properties, additionalProperties }: Schema): Schema {
  return {
    ...(type !== undefined && { type: withoutNull(type) }),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
    ...(format === 'date' && { format }),
    ...(items !== undefined && { items: structureOf(items as Schema) }),
    ...(properties && { properties: members(properties) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: structureOf(additionalProperties as Schema) }),
    ...(additionalProperties === true && { additionalProperties }),
  }
}

function members(properties: { readonly [name: string]: Schema }) {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, one.type === undefined ? ANYTHING : structureOf(one)]))
}

const ANYTHING = typed(['string', 'number', 'boolean'])

/** Outside of FieldsToUpdate null means the same as leaving the field out, and is not offered. */
function withoutNull(type: string | readonly string[]): string | readonly string[] {
  const types = [type].flat().filter((one) => one !== 'null')
  return types.length === 1 ? (types[0] as string) : types
}
