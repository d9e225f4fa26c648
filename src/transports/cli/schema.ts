/** As much of JSON Schema as the inputs of operations are made of. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
}

/** All that a value may be. */
export function alternatives(schema: Schema): readonly Schema[] {
  return schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema]
}

/** The member of filters that holds filters again. */
export const NOT = 'not'

/** All that a member of a value may be; nothing where there is no such member. */
export function inside(schemas: readonly Schema[], member: string): readonly Schema[] {
  return schemas.flatMap((schema) => {
    const { properties, additionalProperties: more, type } = schema
    // The contract's schema of `not` is any object, as a schema cannot contain itself.
    if (member === NOT && isFilters(schema)) return [schema]
    if (properties && Object.hasOwn(properties, member)) return alternatives(properties[member] as Schema)
    if (typeof more === 'object') return alternatives(more)
    return more === true || (type === undefined && properties === undefined) ? [{}] : []
  })
}

const isFilters = ({ properties = {} }: Schema) => Object.hasOwn(properties, NOT) && Object.hasOwn(properties, 'any')

const ANYTHING = ['string', 'number', 'boolean', 'null'] as const

/** The types that a value may have. */
export function typesOf(schemas: readonly Schema[]): ReadonlySet<string> {
  return new Set(schemas.flatMap(({ type }) => (type === undefined ? ANYTHING : typeof type === 'string' ? [type] : type)))
}

/** The words that a value may be, or that are worth offering. */
export function wordsOf(schemas: readonly Schema[]): readonly string[] {
  const offered = schemas.flatMap(({ enum: closed, examples = [] }) => closed ?? examples).filter((word) => typeof word === 'string')
  return offered.length > 0 ? [...new Set(offered)] : typesOf(schemas).has('boolean') && !typesOf(schemas).has('string') ? ['true', 'false'] : []
}
