import type { FieldKind } from '../../../contract/fields.ts'
import type { Fields } from '../../../contract/record.ts'
import type { Campaign, Membership } from '../../../contract/records/campaign.ts'
import type { Case } from '../../../contract/records/case.ts'
import type { Comment } from '../../../contract/records/comment.ts'
import type { Company } from '../../../contract/records/company.ts'
import type { Contact } from '../../../contract/records/contact.ts'
import type { Lead } from '../../../contract/records/lead.ts'
import type { Note } from '../../../contract/records/note.ts'
import type { Opportunity } from '../../../contract/records/opportunity.ts'
import type { FieldLimits, Value } from '../../platform.ts'

/** Where a field of ours lives in a CRM. */
export interface Place extends Pick<FieldLimits, 'max' | 'maxBytes' | 'decimals' | 'digits' | 'remark' | 'required' | 'defaultValue' | 'unique'> {
  /** Its name there. */
  readonly name: string
  readonly kind: FieldKind
  /** Our words to theirs, one to one. */
  readonly values?: { readonly [ours: string]: string }
  /** Whether only the words of `values`, or of `allowed`, are taken. */
  readonly closed?: boolean
  /** The words taken as they are, where the CRM closes a set that needs no translation. */
  readonly allowed?: readonly string[]
  /** Whether the CRM can search by it; it can unless set. */
  readonly filters?: boolean
  /** Whether the CRM can sort by it as the contract says; for dates, moments and numbers it can unless set. */
  readonly sorts?: boolean
  /** Whether it can only be read. */
  readonly readOnly?: boolean
  /** What the CRM fills in by itself in a new record that has no value here; as the account says, never the configuration. */
  readonly initial?: Value
  /** What people call it; only for fields that the contract does not have. */
  readonly label?: string
  /** The record type of ours that an id points to; only for fields that the contract does not have. */
  readonly refers?: string
}

/** Where records of one type live in a CRM, and where each of their fields does. It is read in both directions. */
export interface Table {
  /** The name of the object there. */
  readonly object: string
  /** By our names. Null where the CRM has no place for a field of ours. */
  readonly fields: { readonly [ours: string]: Place | null }
  /** Values that every new record gets unless given, by their names: what the CRM requires and the contract has no field for. */
  readonly defaults?: { readonly [theirs: string]: Value }
  /** Fields of the account that the configuration calls otherwise, or does not want to be seen. By our names. */
  readonly renamed?: { readonly [ours: string]: string }
  readonly hidden?: readonly string[]
  /** Values that every record of ours has, by their names: they are written at creation, and records that differ in one are not shown. */
  readonly fixed?: { readonly [theirs: string]: Value }
}

/** Tables as a driver uses them: the CRM's own, with what the configuration has overridden or added. By the names of our record types. */
export type Tables = { readonly [type: string]: Table }

/** The record types of the contract that live in tables. Custom objects do not: their tables are read from the account. */
interface TableTypes {
  Lead: typeof Lead
  Opportunity: typeof Opportunity
  Case: typeof Case
  Company: typeof Company
  Contact: typeof Contact
  Campaign: typeof Campaign
  Note: typeof Note
  Comment: typeof Comment
}

interface TypeWithFields {
  readonly id: string
  readonly fields: Fields
}

/** The id and the parent's id may be left to the driver, where the CRM keeps them outside of the record's fields. */
type Keys<R extends TypeWithFields> = R['id'] | { [F in keyof R['fields']]: R['fields'][F] extends { access: 'secret' } ? F : never }[keyof R['fields']]

/** Every field of a record type with its place, or null where the CRM has none. Revision is the engine's own. */
type Places<R extends TypeWithFields> = { readonly [F in Exclude<keyof R['fields'], Keys<R> | 'Revision'>]: Place | null } & {
  readonly [F in Keys<R>]?: Place
}

/** The table of one record type that has a place, or null, for every field of the contract. */
export type ContractTable<R extends TypeWithFields> = Omit<Table, 'fields'> & { readonly fields: Places<R> }

/**
 * The tables of a CRM before any override. A field that is added to the contract does not compile until it has a place here, or null, which the
 * core refuses: no field is ever accepted and then not written.
 */
export type ContractTables = { readonly [T in keyof TableTypes]: ContractTable<TableTypes[T]> } & { readonly Membership?: ContractTable<typeof Membership> }
