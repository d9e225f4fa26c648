import type { Fault } from './call.ts'

/** A parameter is wrong, so no call was made. */
export class ParameterFault extends Error {
  readonly errors: readonly Fault[]
  readonly hint: string | undefined

  constructor(
    field: string,
    message: string,
    { code = 'value', hint, cause }: { readonly code?: string; readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.errors = [{ field, code, message }]
    this.hint = hint
  }
}
