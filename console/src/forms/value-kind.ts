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

/** The number, if it can be converted without loss; otherwise the typed text. */
export function numberIn(typed: string): unknown {
  const trimmed = typed.trim()
  if (trimmed === '') return undefined
  const number = Number(trimmed)
  return Number.isFinite(number) && String(number) === trimmed ? number : typed
}
