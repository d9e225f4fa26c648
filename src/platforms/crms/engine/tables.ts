import type { FieldKind } from '../../../contract/fields.ts'
import type { FieldLimits, Value } from '../../platform.ts'

/** Where a field of ours lives in a CRM. */
export interface Place extends Pick<FieldLimits, 'max' | 'maxBytes' | 'decimals' | 'required' | 'atBirth'> {
  /** Its name there. */
  readonly name: string
  readonly kind: FieldKind
  /** Our words to theirs, one to one. */
  readonly values?: { readonly [ours: string]: string }
  /** Whether only the words of `values`, or of `allowed`, are taken. */
  readonly closed?: boolean
  /** The words taken as they are, where the CRM closes a set that needs no translation. */
  readonly allowed?: readonly string[]
  /** Whether the CRM can search by it; it can unless said. */
  readonly filters?: boolean
  /** Whether the CRM can sort by it as the contract says; for dates, moments and numbers it can unless said. */
  readonly sorts?: boolean
  /** Whether it can only be read. */
  readonly readOnly?: boolean
  /** How people call it; only said for fields that the contract does not have. */
  readonly label?: string
}

/** Where records of one type live in a CRM, and where each of their fields does. It is read in both directions. */
export interface Table {
  /** The name of the object there. */
  readonly object: string
  /** By our names. Null where the CRM has no place for a field of ours. */
  readonly fields: { readonly [ours: string]: Place | null }
  /** What every record is created with where nothing else is said, by their names: what the CRM insists on and we have no field for. */
  readonly defaults?: { readonly [theirs: string]: Value }
  /** What makes a record of theirs one of ours, by their names: it is written at creation, and what differs in it does not exist for us. */
  readonly fixed?: { readonly [theirs: string]: Value }
}

/** By the names of our record types. */
export type Tables = { readonly [type: string]: Table }
