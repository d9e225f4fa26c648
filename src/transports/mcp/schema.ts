/** JSON Schema, as far as tools need it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly [keyword: string]: unknown
}

/** The schema of an object, without combinators, so that every client takes it. */
export interface ObjectSchema extends Schema {
  readonly type: 'object'
  readonly properties: { readonly [name: string]: Schema }
  readonly required?: string[]
}

/** A type, or a choice of types in the one way that every client takes: none has a list of them in one schema. */
export function typed(type: string | readonly string[]): Schema {
  return typeof type === 'string' ? { type } : { anyOf: type.map((one) => ({ type: one })) }
}
