import { FIELD_KINDS } from '../../../contract/fields.ts'
import { RECORD_TYPES } from '../../../contract/operations.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = { readonly [name: string]: Json }

export interface Schemas {
  /** Adds a schema under this name, or its own title, and returns the reference to it. */
  refer(schema: unknown, name: string): Json
  add(name: string, schema: Json): void
  all(): JsonObject
}

/** The schemas of the contract as shared components: one for each title, and one filter for each type of value. */
export function createSchemas(): Schemas {
  const components: Record<string, Json> = {}
  const filters = filterNames()

  const keep = (name: string, schema: JsonObject): Json => {
    components[name] ??= null
    if (components[name] === null) components[name] = members(schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  const members = (schema: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(schema).flatMap(([word, value]) => {
        if (word === 'format' && value === 'text') return []
        // Client generators turn an optional member beside typed additionalProperties into an interface that does not compile.
        if (word === 'additionalProperties' && schema.properties !== undefined && typeof value === 'object') return [[word, true]]
        return [[word, convert(value)]]
      }),
    )

  const convert = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value !== 'object' || value === null) return value
    const schema = value as JsonObject
    if (typeof schema.title === 'string' && schema.type === 'object') return keep(schema.title, schema)
    const { description, ...rest } = schema
    const filter = filters.get(JSON.stringify(rest))
    return filter ? { ...(keep(filter, rest) as JsonObject), ...(description !== undefined && { description }) } : members(schema)
  }

  return {
    refer(schema, name) {
      const plain = JSON.parse(JSON.stringify(schema)) as JsonObject
      return keep(typeof plain.title === 'string' ? plain.title : name, plain)
    },
    add(name, schema) {
      components[name] = schema
    },
    all: () => Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** From the operators of a type of value, as JSON, to the name of its filter: `TextFilter`. */
function filterNames(): Map<string, string> {
  const names = new Map<string, string>()
  for (const type of RECORD_TYPES) {
    const { properties } = JSON.parse(JSON.stringify(type.filters)) as { properties: Record<string, JsonObject> }
    for (const [member, { description: _, ...schema }] of Object.entries(properties)) {
      const field = type.fields[member]
      const family = field && FIELD_KINDS[field.kind]
      if (family) names.set(JSON.stringify(schema), `${family.charAt(0).toUpperCase()}${family.slice(1)}Filter`)
    }
  }
  return names
}
