/** The schema of a custom object, besides its properties. */
export interface Schema {
  readonly objectTypeId: string
  readonly name: string
  readonly fullyQualifiedName: string
  readonly labels: { readonly singular?: string; readonly plural?: string }
  readonly description: string | undefined
  readonly requiredProperties: readonly string[]
  readonly searchableProperties: readonly string[]
  readonly secondaryDisplayProperties: readonly string[]
  readonly primaryDisplayProperty: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}
