/** JSON Schema, as far as tools need it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly [keyword: string]: unknown
}

/** The schema of an object, without combinators, which some clients do not accept. */
export interface ObjectSchema extends Schema {
  readonly type: 'object'
  readonly properties: { readonly [name: string]: Schema }
  readonly required?: string[]
}

/** A choice of types is written as anyOf, since some clients do not accept a list as `type`. */
export function typed(type: string | readonly string[]): Schema {
  return typeof type === 'string' ? { type } : { anyOf: type.map((one) => ({ type: one })) }
}
