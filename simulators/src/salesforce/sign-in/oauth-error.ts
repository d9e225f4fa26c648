import type { WireAnswer } from '../../simulated.ts'

/** OAuth errors are an object, not a list. */
export const oauthError = (error: string, error_description: string, status = 400): WireAnswer => ({ status, body: { error, error_description } })
