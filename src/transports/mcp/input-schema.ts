import { FAMILIES, FIELD_KINDS } from '../../contract/fields.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { Fields } from '../../contract/record.ts'
import { optionSchemas } from './option-arguments.ts'
import { type ObjectSchema, type Schema, typed } from './schema.ts'

/**
 * The input of a tool: a short form of the operation's input, and the options of the call. Written for the agent; the contract checks the
 * input itself, so bounds that are rarely met are left out.
 */
export function inputSchemaOf(operation: Operation): ObjectSchema {
  const { properties, required = [] } = operation.input as unknown as { properties: Record<string, Schema>; required?: string[] }
  const { fields } = operation.record
  const own = Object.entries(properties)
    .filter(([name]) => !isAbsent(fields, name))
    .map(([name, schema]) => [name, name === 'Filters' ? filtersOf(operation) : brief(name, name === 'FieldsToUpdate' ? present(fields, schema) : schema)])
  const options = Object.entries(optionSchemas(operation)).map(([name, schema]) => [name, brief(name, schema)])
  return { type: 'object', properties: Object.fromEntries([...own, ...options]), ...(required.length > 0 && { required }) }
}

/** Whether the platform does not support a field. */
const isAbsent = (fields: Fields, name: string) => Object.hasOwn(fields, name) && fields[name]?.absent !== undefined

function present(fields: Fields, schema: Schema): Schema {
  const { properties } = schema
  return properties ? { ...schema, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isAbsent(fields, name))) } : schema
}

/** Explained once in the instructions of the server. */
const EXPLAINED = new Set(['Limit', 'Cursor', 'After', 'OrderBy', 'Select', 'IfRevision', 'FieldsToUpdate'])
/** Formats that need no description. */
const PLAIN = new Set<unknown>(['date', 'email', 'money'])

function brief(name: string, schema: Schema, mayClear = false): Schema {
  const { type, enum: values, format, items, properties, additionalProperties, examples, description } = schema
  const isOpen = additionalProperties === true
  const plain = (EXPLAINED.has(name) && !isOpen) || PLAIN.has(format) || name.endsWith('ID')
  const text = Array.isArray(examples) ? `e.g. ${examples.join(', ')}` : plain ? undefined : description
  return {
    ...(type !== undefined && (mayClear ? typed(type) : { type: withoutNull(type) })),
    ...(values !== undefined && { enum: values }),
    ...(format === 'date' && { format }),
    ...(items !== undefined && { items: brief('', items as Schema) }),
    ...(properties && { properties: members(properties, name === 'FieldsToUpdate') }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: brief('', additionalProperties as Schema) }),
    ...(isOpen && { additionalProperties }),
    ...(text !== undefined && { description: text }),
  }
}

function members(properties: { readonly [name: string]: Schema }, mayClear: boolean) {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, one.type === undefined ? ANYTHING : brief(name, one, mayClear)]))
}

const ANYTHING = typed(['string', 'number', 'boolean'])

/** Outside of FieldsToUpdate null means the same as leaving the field out, and is not offered. */
function withoutNull(type: string | readonly string[]): string | readonly string[] {
  const types = [type].flat().filter((one) => one !== 'null')
  return types.length === 1 ? (types[0] as string) : types
}

/** The fields that can be filtered by, each with the operators it takes. */
function filtersOf({ record, verb }: Operation): Schema {
  const many = OPERATIONS.find((one) => one.verb === 'getMany' && one.record.name === record.name)
  if (verb !== 'getMany') return { type: 'object', description: `As in ${many?.id}.` }
  const fields = new Map<string, string[]>()
  for (const [name, { kind, access, absent }] of Object.entries(record.fields)) {
    const family = FIELD_KINDS[kind]
    if (!family || access === 'secret' || absent !== undefined) continue
    const operators = FAMILIES[family].operators.join(' ')
    fields.set(operators, [...(fields.get(operators) ?? []), name])
  }
  const lines = [...fields].map(([operators, names]) => `${names.join(' ')}: ${operators}`)
  return { type: 'object', description: [...lines, ...(record.userDefined ? ['and what the workspace has defined'] : [])].join('; ') }
}
