/** What each code is called, and what it means. Apart from the table of codes, so that a bundled client leaves it out. */
export const ERROR_TEXTS = {
  invalid_input: { title: 'Invalid input', means: 'A required input is missing, a value has the wrong type or form, or a name is unknown.' },
  unauthenticated: { title: 'Not signed in', means: 'There is no key, or it is unknown, expired or revoked.' },
  forbidden: { title: 'Not allowed', means: "The caller's role or the key's scopes do not allow this operation." },
  not_found: { title: 'Not found', means: 'There is no such record, or none that the caller may see; also an unknown operation.' },
  conflict: { title: 'Conflict', means: 'The record has changed, a definition disagrees, or a key was used with another input.' },
  in_progress: { title: 'In progress', means: 'A call with the same key is still running.' },
  too_large: { title: 'Too large', means: 'The body is over the limit.' },
  unsupported: { title: 'Unsupported', means: 'This platform cannot do this; nothing was sent to it.' },
  too_expensive: { title: 'Too expensive', means: 'The call would take longer than it may; a narrower filter or a smaller page helps.' },
  platform_rejected: { title: 'Rejected by the platform', means: 'The platform refused; all of its own errors are listed.' },
  rate_limited: { title: 'Too many calls', means: 'There were too many calls, here or at the platform; Retry-After says when to try again.' },
  platform_unavailable: { title: 'Platform unavailable', means: 'The platform did not answer, or not in time.' },
  outcome_unknown: { title: 'Outcome unknown', means: 'A write was sent and its outcome is unknown; repeating the call with the same key resolves it.' },
  internal: { title: 'Internal fault', means: 'An unexpected error in the connector; the log has it under the request id.' },
} as const satisfies { readonly [code: string]: { readonly title: string; readonly means: string } }
