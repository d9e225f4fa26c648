import type { CrmError, ErrorCode } from '../../contract/errors.ts'

/** What to do about a refusal that does not say so itself. */
export const DEFAULT_HINTS: { readonly [code in ErrorCode]: string } = {
  invalid_input: 'Correct the arguments and call again.',
  unauthenticated: 'Have crm mcp started again with a valid key as CRM_KEY, or after crm login.',
  forbidden: 'Ask whoever gave you the key, or do without.',
  not_found: 'Look for the right id with a get_many tool.',
  conflict: 'Read the record again and decide whether the call still makes sense.',
  in_progress: 'Call again in a moment with the same IdempotencyKey.',
  too_large: 'Send less in one call.',
  unsupported: 'Do without: this platform cannot do it.',
  platform_rejected: 'Correct what the platform complains about and call again.',
  rate_limited: 'Wait, then call again.',
  platform_unavailable: 'Wait, then call again with the same arguments.',
  outcome_unknown: 'Look whether it has happened before you call again.',
  internal: 'Tell whoever runs the service; calling again will hardly help.',
}

/** What is a header over HTTP and an argument of tools. */
const HEADERS = { 'Idempotency-Key': 'IdempotencyKey', 'Confirmation-Token': 'ConfirmationToken' } as const

/** What to do about a refusal. An agent sends neither a header nor a request of its own, so what says so is of no use to it. */
export function hintOf({ code, hint = '' }: CrmError): string {
  if (hint === '' || hint.startsWith('GET /') || code === 'unauthenticated') return DEFAULT_HINTS[code]
  return Object.entries(HEADERS).reduce((text, [header, argument]) => text.replaceAll(header, argument), hint)
}
