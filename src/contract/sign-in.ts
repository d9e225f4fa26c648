import type { ErrorCode } from './errors.ts'

/** Why a person could not sign in with OpenID Connect. The name is in the address of the console, which shows the text. */
export const SIGN_IN_REFUSALS = {
  expired: { code: 'unauthenticated', text: 'This sign-in has expired, was used already, or was started in another browser. Sign in again.' },
  cancelled: { code: 'unauthenticated', text: 'The sign-in was cancelled.' },
  invalid: { code: 'unauthenticated', text: 'The answer of the sign-in service was refused. The log of this service says why.' },
  unknown: { code: 'forbidden', text: 'No rule of this service lets you in. Ask an admin.' },
  inactive: { code: 'forbidden', text: 'Your user is not active. Ask an admin.' },
  'last-admin': { code: 'conflict', text: 'You are no longer an admin, but this workspace has no other. Make another user an admin first.' },
  workspace: { code: 'not_found', text: 'Your workspace does not exist. Ask an admin.' },
  paused: { code: 'forbidden', text: 'Your workspace is paused. Ask the operator of this service.' },
  full: { code: 'conflict', text: 'Your workspace has as many users as it may have. Ask an admin.' },
  insecure: { code: 'unsupported', text: 'People can sign in over https only. An admin has to set CRM_PUBLIC_URL.' },
  limit: { code: 'rate_limited', text: 'Too many sign-ins from your network address. Try again in a minute.' },
  unavailable: { code: 'platform_unavailable', text: 'The sign-in service does not answer. Try again later.' },
  failed: { code: 'internal', text: 'Something went wrong on our side. The log of this service says what.' },
} as const satisfies { readonly [reason: string]: { readonly code: ErrorCode; readonly text: string } }

export type SignInReason = keyof typeof SIGN_IN_REFUSALS
