/** An object of a new org, as it is written down. */
export interface StandardObject {
  readonly name: string
  readonly prefix: string
  readonly label?: string
  readonly plural: string
  /** Whether its records have owners. */
  readonly owned?: boolean
  readonly createable?: boolean
  readonly deletable?: boolean
  /** Whether its records are not kept but made from something else. */
  readonly virtual?: boolean
  /** Whether it is only known to the tooling API. */
  readonly tooling?: boolean
  readonly fields: string
}
