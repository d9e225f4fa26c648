/** How a value is entered in n8n and read from there. */
export type Kind = 'text' | 'number' | 'boolean' | 'date' | 'timestamp' | 'list'

/** What the node knows of an operation. */
export interface Operation {
  readonly id: string
  readonly writes: boolean
  /** Whether it takes something away, and so may have to be confirmed. */
  readonly takesAway?: boolean
  readonly record: string
  /** The inputs that are plain values. */
  readonly values: { readonly [input: string]: Kind }
  /** Those of them that are parameters of their own; the others are additional fields. */
  readonly required: readonly string[]
  /** The inputs that have a form of their own. */
  readonly forms: readonly string[]
}

export type OperationTable = { readonly [resource: string]: { readonly [operation: string]: Operation } }

/** The kinds of the fields of each record. */
export type FieldTable = { readonly [record: string]: { readonly [field: string]: Kind } }

/** Whose values each search offers. */
export type ChoiceTable = { readonly [search: string]: readonly [recordType: string, field: string] }
