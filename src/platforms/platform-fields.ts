import type { Value } from '../contract/conditions.ts'
import type { FieldKind } from '../contract/fields.ts'

/** Restrictions of a platform on a field, beyond those of the contract. */
export interface FieldLimits {
  /** The only values that are accepted. */
  readonly closed?: readonly string[]
  /** Whether a value is mandatory. */
  readonly required?: boolean
  /** The default that a create fills in where no value is given. */
  readonly defaultValue?: Value
  /** The maximum length of a text, in characters and in bytes. */
  readonly max?: number
  readonly maxBytes?: number
  /** How many decimals of a number are stored. */
  readonly decimals?: number
  /** How many significant digits of a number are stored. */
  readonly digits?: number
  /** What else the platform does with values, in a sentence for people. */
  readonly remark?: string
  /** Whether the platform cannot store the field at all. */
  readonly absent?: boolean
  /** How an admin of the platform makes a place for a field that is absent, in a sentence. */
  readonly remedy?: string
  /** Whether the platform itself refuses a second record with the same value. */
  readonly unique?: boolean
  /** Whether the field is read-only on the platform, although the contract lets callers write it. */
  readonly readOnly?: boolean
}

/** A field that a platform has and the contract does not. */
export interface ExtraField {
  readonly kind: FieldKind
  readonly label: string
  readonly readOnly: boolean
  /** The record type that an id points to. */
  readonly refers?: string | undefined
  /** Set where the workspace itself has defined the field, in a store. */
  readonly own?: OwnStorage | undefined
}

/** How a store keeps a field that a workspace has defined. */
export interface OwnStorage {
  readonly indexed: boolean
  readonly unique: boolean
  /** The record type that it refers to. */
  readonly refers?: string | undefined
}
