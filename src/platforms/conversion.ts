import type { StoredRecord } from './stored-record.ts'

/** What a lead is made into. */
export interface Conversion {
  readonly leadId: string
  /** Records that are there already. */
  readonly companyId?: string | undefined
  readonly contactId?: string | undefined
  /** The fields of the opportunity, where there is to be one. */
  readonly opportunity?: StoredRecord | undefined
  /** Whether the outcome of an earlier attempt is unknown: a lead that is converted is what that attempt has done. */
  readonly isRetried?: boolean
  /** Creates a record that the CRM does not make itself, and resolves to its id: once, although its answer may be lost. */
  readonly create?: ((type: string, record: StoredRecord) => Promise<string>) | undefined
}

export interface Converted {
  readonly companyId: string
  readonly contactId: string
  readonly opportunityId?: string | undefined
}

/** What a conversion would do. */
export interface ForeseenConversion {
  /** The records that it would use, without those that it would create. */
  readonly used: Partial<Converted>
  /** What it would change of the lead; undefined where it would be no lead any more. */
  readonly lead: StoredRecord | undefined
}
