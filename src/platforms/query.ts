import type { Value, Where } from '../contract/conditions.ts'
import type { Family } from '../contract/fields.ts'
import type { StoredRecord } from './stored-record.ts'

export interface Order {
  readonly field: string
  readonly name?: string
  /** Of a `name` in a store: its family, and whether it has an index. */
  readonly family?: Family
  readonly indexed?: boolean
  readonly descending: boolean
}

/**
 * Which records are wanted.
 *
 * Conditions are ANDed. Null sorts lowest, text by code point; ties are broken by id in the direction of the order.
 */
export interface Query {
  /** Only records that belong to one of these users; undefined means all records. */
  readonly owners?: readonly string[]
  readonly where: readonly Where[]
  readonly order: Order
  /** The last record of the previous page: its value of the order's field, and its id. */
  readonly after?: { readonly value: Value; readonly id: string }
  /** How many records at most. A page may end earlier, with `more`, so that it takes no more memory than `LIMITS.pageBytes` and its last record. */
  readonly limit: number
  /** The fields to return beside the id and the order's field; undefined means all of them. */
  readonly fields?: readonly string[]
  /** For notes, tasks and the like that are listed by their parent record: the parent's type. */
  readonly on?: string
}

export interface Found {
  readonly records: readonly StoredRecord[]
  /** Whether more records match beyond these. */
  readonly more: boolean
}

/** Counts and exact sums for a summary. Amounts are in ten-thousandths. */
export interface Tally {
  readonly states: readonly {
    readonly owner: string
    readonly state: string | null
    readonly count: number
    readonly amounts: number
    readonly amount: bigint
  }[]
  readonly months: readonly { readonly month: string; readonly count: number }[]
  /** By state and whether the due date has passed or is near; only for records that have one. */
  readonly due: readonly { readonly state: string | null; readonly when: 'overdue' | 'soon'; readonly count: number; readonly amount: bigint }[]
}

export interface TallyQuery {
  readonly owners?: readonly string[]
  readonly where: readonly Where[]
  /** Today, and the last day that counts as `soon`; both YYYY-MM-DD. */
  readonly today: string
  readonly soon: string
}

/** A search for words, over several record types. */
export interface SearchQuery {
  readonly text: string
  readonly types: readonly string[]
  /** Only records that belong to one of these users, where the record type has owners; undefined means all records. */
  readonly owners?: readonly string[]
  /** How many records of each type at most. */
  readonly limit: number
}

/** A record that a search has found. */
export interface SearchHit {
  readonly type: string
  readonly record: StoredRecord
}

/** What a search has found, without the record. */
export interface SearchMatch {
  readonly type: string
  readonly id: string
  /** How well it matches (`scoreOf` in `contract/search-text.ts`). */
  readonly score: number
}
