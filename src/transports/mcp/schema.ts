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
