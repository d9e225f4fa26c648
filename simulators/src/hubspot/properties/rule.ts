/** That properties are required where another has a value. */
export interface Rule {
  readonly typeId: string
  readonly property: string
  readonly value: string
  readonly required: readonly string[]
}
