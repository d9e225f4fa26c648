import { type CrmError, type ErrorCode, errorOf, problemOf } from '../../contract/errors.ts'

/** Hints for errors without one. */
export const DEFAULT_HINTS: { readonly [code in ErrorCode]: string } = {
  invalid_input: 'Correct the arguments and call again.',
  unauthenticated: 'Have crm mcp started again with a valid key as CRM_KEY, or after crm login.',
  forbidden: 'Ask the admin for the permission, or do without.',
  not_found: 'Look for the right id with a get_many tool.',
  conflict: 'Read the record again and decide whether the call still makes sense.',
  in_progress: 'Call again in a moment with the same IdempotencyKey.',
  too_large: 'Send less in one call.',
  too_expensive: 'Ask for less: filter by a field with eq or a range of CreatedDate, or ask for fewer records.',
  unsupported: 'Do without: this platform cannot do it.',
  platform_rejected: 'Correct what the platform complains about and call again.',
  rate_limited: 'Wait, then call again.',
  platform_unavailable: 'Wait, then call again with the same arguments.',
  outcome_unknown: 'Check whether it has happened before you call again.',
  internal: 'Report it to the admin; calling again will hardly help.',
}

/** Headers of HTTP that are arguments of tools. */
const HEADERS = { 'Idempotency-Key': 'IdempotencyKey', 'Confirmation-Token': 'ConfirmationToken' } as const

/** A text of the core in the words of the tools. */
const inArguments = (text: string) => Object.entries(HEADERS).reduce((words, [header, argument]) => words.replaceAll(header, argument), text)

/** The hint of an error, for an agent, which sends no headers or HTTP requests itself. */
export function hintOf({ code, hint = '' }: CrmError): string {
  return hint === '' || hint.startsWith('GET /') || code === 'unauthenticated' ? DEFAULT_HINTS[code] : inArguments(hint)
}

/** A refusal within an answer, in the words of the tools; of a call in a batch its own key is called `Key`. */
export function problemForAgents<P extends { readonly detail: string; readonly hint?: string | undefined }>(problem: P, hasOwnKey = false): P {
  const words = (text: string) => inArguments(hasOwnKey ? text.replaceAll('Idempotency-Key', 'Key') : text)
  return { ...problem, detail: words(problem.detail), ...(problem.hint !== undefined && { hint: words(problem.hint) }) }
}

/** An error whose message speaks of arguments, not of headers. */
export function forAgents(error: CrmError): CrmError {
  return inArguments(error.message) === error.message ? error : errorOf(problemForAgents(problemOf(error, error.requestId ?? '')))
}
