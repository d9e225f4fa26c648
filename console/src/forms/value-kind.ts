/** The part of a described field that decides its input. */
export interface ValueKind {
  readonly Name: string
  readonly Type: string
  readonly RefersTo?: string | null
  readonly Required?: boolean
  readonly MaxLength?: number | null
  readonly AllowedValues?: readonly string[] | null
  readonly SuggestedValues?: readonly string[] | null
}
