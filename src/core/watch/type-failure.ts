import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Watched } from './watched.ts'

/** Thrown where nothing more is to be read of an account. */
export class Ended extends Error {}

/** What fails so with one type fails with the others as well. */
const WITH_ALL: readonly ErrorCode[] = ['platform_unavailable', 'rate_limited']

export const UNEXPECTED = { code: 'internal', message: 'An unexpected error occurred in the connector.', hint: 'The log of the service has it.' } as const

/** Why one type could not be read, by its name. Throws what keeps the others from being read too. */
export function failureOfType({ platform, service }: Watched, { name }: RecordType, error: unknown, signal: AbortSignal): CrmError {
  const known = error instanceof CrmError ? error : (platform.classify(error) ?? service.store.classify(error))
  if (signal.aborted || error instanceof Ended || (known && WITH_ALL.includes(known.code))) throw error
  const { code, message, hint } = known ?? UNEXPECTED
  return new CrmError(code, `${name}: ${message}`, { cause: error, ...(hint !== undefined && { hint }) })
}
