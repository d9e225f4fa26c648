/** The definition of an object that every org has. */
export interface StandardObject {
  readonly name: string
  readonly prefix: string
  readonly label?: string
  readonly plural: string
  /** Whether its records have owners. */
  readonly owned?: boolean
  readonly createable?: boolean
  readonly deletable?: boolean
  /** Whether its records are derived from the schema rather than stored. */
  readonly virtual?: boolean
  /** Whether only the Tooling API has it. */
  readonly tooling?: boolean
  readonly fields: string
}
