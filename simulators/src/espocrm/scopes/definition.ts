/** A field as EspoCRM's metadata describes it. */
export interface Field {
  readonly type: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly maxLength?: number
  readonly min?: number | null
  readonly max?: number | null
  readonly options?: readonly string[]
  /** Where the options are those of another field: `Account.industry`. */
  readonly optionsReference?: string
  readonly default?: unknown
  readonly pattern?: string
  readonly audited?: boolean
  readonly notStorable?: boolean
  /** A link to many that is never loaded with its record. */
  readonly noLoad?: boolean
  readonly columns?: { readonly [column: string]: string }
  readonly style?: { readonly [option: string]: string }
  readonly probabilityMap?: { readonly [option: string]: number }
  readonly isCustom?: boolean
  readonly [parameter: string]: unknown
}

/** A relation as EspoCRM's metadata describes it. */
export interface Link {
  readonly type: 'belongsTo' | 'hasMany' | 'hasOne' | 'hasChildren' | 'belongsToParent'
  readonly entity?: string
  /** The link at the other end. */
  readonly foreign?: string
  readonly relationName?: string
  /** Where lists leave the name of the linked record out. */
  readonly noJoin?: boolean
  readonly [parameter: string]: unknown
}

/** A kind of record: what EspoCRM calls a scope. */
export interface Scope {
  readonly name: string
  readonly labels: { readonly singular: string; readonly plural: string }
  readonly fields: { readonly [name: string]: Field }
  readonly links: { readonly [name: string]: Link }
  readonly collection: { readonly orderBy: string; readonly order: 'asc' | 'desc'; readonly textFilterFields?: readonly string[] }
  /** What the metadata says under `scopes`. */
  readonly scope: { readonly [parameter: string]: unknown }
  readonly stream: boolean
  readonly custom: boolean
  /** The field whose changes are told in the stream on their own. */
  readonly statusField?: string
  /** Fields of which one being the same makes a duplicate. */
  readonly duplicateCheckFieldList?: readonly string[]
  /** A link to one that is the first of a link to many: `contact` of `contacts`. */
  readonly primary?: { readonly one: string; readonly many: string }
  /** Attributes that only administrators see. */
  readonly adminOnly?: readonly string[]
  /** Attributes of linked records that a list through a link always has, and then nothing else unless it is selected. */
  readonly linkSelect?: { readonly [link: string]: readonly string[] }
}

/** Patterns that fields name with a dollar before. */
export const PATTERNS: { readonly [name: string]: RegExp } = {
  noBadCharacters: /^[^<>=]+$/u,
}

/** The form of ids in links. */
export const ID = /^[a-zA-Z0-9_-]+$/
