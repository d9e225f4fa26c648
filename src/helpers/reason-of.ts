/** Why something failed, in the words of the first cause: `fetch` says only that it failed, and several addresses that were tried say nothing together. */
export function reasonOf(error: unknown): string {
  const { message = '', cause, errors, code } = Object(error) as { message?: string; cause?: unknown; errors?: unknown; code?: unknown }
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0])
  return (cause === undefined ? '' : reasonOf(cause)) || message || (typeof code === 'string' ? code : '')
}
