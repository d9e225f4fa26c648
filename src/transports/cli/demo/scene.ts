import type { Row } from '../cells.ts'
import type { Company } from './companies.ts'
import type { Person } from './people.ts'

/** A call that a user makes on a day. */
export interface Act {
  /** Which of the users; undefined for the admin. */
  readonly by: number | undefined
  readonly operation: string
  readonly input: Row
  /** Receives the answer, and may schedule more acts on later days. */
  readonly after?: (answer: Row) => void
}

export interface Plot {
  readonly seed: number
  /** The number of leads. */
  readonly size: number
  /** The number of days, up to today. */
  readonly days: number
  /** The date of a day. */
  readonly dateOf: (day: number) => string
  /** Users who sell, and users who help. */
  readonly sellers: readonly number[]
  readonly helpers: readonly number[]
  /** The ids of all users. */
  readonly userIds: readonly string[]
}

/** A company that has a record, with the contacts that have one. Its people deal with one seller: a member sees only their own records. */
export interface Customer {
  readonly company: Company
  readonly companyId: unknown
  readonly by: number
  readonly contacts: { readonly person: Person; readonly contactId: unknown }[]
  /** The ids of its cases. */
  readonly cases: unknown[]
}

/** What the parts of a story share. */
export interface Scene extends Plot {
  /** Those who have a contact, oldest first. */
  readonly customers: Customer[]
  /** How many deals there are. */
  readonly deals: { count: number }
  /** The ids of the campaigns, oldest first. */
  readonly campaigns: unknown[]
  /** Schedules an act; one that would be in the past happens on the next day. */
  on(day: number, act: Act): void
}
