import type { Value } from '../contract/conditions.ts'

/** A record in the contract's own names; user-defined values and lists are nested. */
export type StoredRecord = { [field: string]: Value | readonly string[] | { readonly [name: string]: Value | readonly string[] } | OwnValues }

/** The values of a record in fields that its workspace has defined, by whether they are in an index. */
export interface OwnValues {
  readonly indexed?: { readonly [name: string]: unknown }
  readonly plain?: { readonly [name: string]: unknown }
}
