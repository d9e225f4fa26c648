/** A field as EspoCRM's metadata describes it. */
export interface Field {
  readonly type: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly maxLength?: number
  readonly min?: number | null
  readonly max?: number | null
  readonly options?: readonly string[]
  /** The field whose options it shares, such as `Account.industry`. */
  readonly optionsReference?: string
  readonly default?: unknown
  readonly pattern?: string
  readonly audited?: boolean
  readonly notStorable?: boolean
  /** Whether it is the role in the record of the scope's primary link. */
  readonly role?: boolean
  /** A link to many that is not loaded with its record. */
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
  /** The inverse link. */
  readonly foreign?: string
  readonly relationName?: string
  /** Whether lists leave out the name of the linked record. */
  readonly noJoin?: boolean
  readonly [parameter: string]: unknown
}

/** A record type, which EspoCRM calls a scope. */
export interface Scope {
  readonly name: string
  readonly labels: { readonly singular: string; readonly plural: string }
  readonly fields: { readonly [name: string]: Field }
  readonly links: { readonly [name: string]: Link }
  readonly collection: { readonly orderBy: string; readonly order: 'asc' | 'desc'; readonly textFilterFields?: readonly string[] }
  /** The entry in the metadata under `scopes`. */
  readonly scope: { readonly [parameter: string]: unknown }
  readonly stream: boolean
  readonly custom: boolean
  /** The field whose changes have their own entries in the stream. */
  readonly statusField?: string
  /** Records that agree in one of these fields are duplicates. */
  readonly duplicateCheckFieldList?: readonly string[]
  /** A link to one that is the first of a link to many, such as `contact` of `contacts`. */
  readonly primary?: { readonly one: string; readonly many: string }
  /** Attributes for administrators only. */
  readonly adminOnly?: readonly string[]
  /** Attributes that a list through a link answers, besides selected ones. */
  readonly linkSelect?: { readonly [link: string]: readonly string[] }
}

/** The patterns that fields refer to as `$name`. */
export const PATTERNS: { readonly [name: string]: RegExp } = {
  noBadCharacters: /^[^<>=]+$/u,
}

/** The form of ids in links. */
export const ID = /^[a-zA-Z0-9_-]+$/
