/** How a value is entered in n8n and read from there. */
export type Kind = 'text' | 'number' | 'boolean' | 'date' | 'timestamp' | 'list'

/** How values of each kind of field in the contract are read. */
export type KindTable = { readonly [kind: string]: Kind | 'json' }

/** How values of each type of user-defined field are read. */
export type CustomTypeTable = { readonly [type: string]: Kind }

export interface Operation {
  readonly id: string
  readonly writes: boolean
  /** Whether it deletes or revokes, and so may need confirmation. */
  readonly takesAway?: boolean
  /** Whether only a person may decide on it, and no agent. */
  readonly forPeople?: boolean
  readonly record: string
  /** The inputs that are plain values. */
  readonly values: { readonly [input: string]: Kind }
  /** The required ones, which are parameters; the others are additional fields. */
  readonly required: readonly string[]
  /** The inputs that are not plain values. */
  readonly forms: readonly string[]
}

export type OperationTable = { readonly [resource: string]: { readonly [operation: string]: Operation } }

export type FieldTable = { readonly [record: string]: { readonly [field: string]: Kind } }

/** The field whose values each search returns. */
export type ChoiceTable = { readonly [search: string]: readonly [recordType: string, field: string] }

/** How the records of a type are listed: all of them, or those with the typed words. */
export interface Listed {
  readonly record: string
  readonly operation: string
  readonly id: string
  readonly names: readonly string[]
  /** The field they are ordered by; the newest come first without one. */
  readonly order?: string
  /** Whether `search` covers the type. */
  readonly searched?: boolean
}

/** What each search lists. */
export type ListedTable = { readonly [search: string]: Listed }
