import { CrmError } from '../../../contract/errors.ts'
import type { Failure } from '../../platform.ts'

/** The connection was lost during a COMMIT, so its outcome is unknown. */
export class CommitUnknown extends Error {}

/** A concurrent transaction has made this one invalid. Nothing was written, and it can be retried. */
export class Overtaken extends Error {}

const unavailable = (message: string, retryNow = false): Failure => ({ code: 'platform_unavailable', message, retryNow })

const GONE = 'The database did not answer.'
const BUSY = 'The database is busy with other writes of the same records.'

/** By SQLSTATE, or its class (the first two characters). */
const BY_STATE: { readonly [state: string]: Failure | undefined } = {
  '08': unavailable(GONE, true),
  // A concurrent transaction has inserted the same key: a retry finds it.
  '23505': { code: 'internal', message: 'Concurrent writes kept inserting the same row.', retryNow: true },
  // Rights or the database were removed while the service runs; at start `isMisconfigured` reports the details.
  '28': unavailable('The database refuses the login.'),
  '3D': unavailable('The database does not exist any more.'),
  '42501': unavailable('The user lacks rights in the database.'),
  '25006': unavailable('The database takes no writes right now.', true),
  // The server ends a connection whose transaction has been open for too long.
  '25P03': unavailable(GONE, true),
  '25P04': unavailable('The database took too long.'),
  '40': unavailable(BUSY, true),
  '53': unavailable('The database has no room left.'),
  '53300': unavailable('The database takes no more connections.', true),
  '55P03': unavailable(BUSY),
  '55006': unavailable(BUSY),
  '57014': unavailable('The database took too long.'),
  '57': unavailable('The database is going down or coming up.', true),
  '58': unavailable('The disk under the database failed.'),
  XX: unavailable('The database is damaged or at fault.'),
}

/** Codes of the driver and the network. */
const BY_CODE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
])

const BY_MESSAGE: readonly (readonly [RegExp, Failure])[] = [
  [/^timeout exceeded when trying to connect/, unavailable('All connections to the database are in use.')],
  [/^Query read timeout/, unavailable('The database took too long.')],
  [
    /^Connection terminated|^timeout expired|connection error and is not queryable|^Client was closed|socket (hang up|disconnected)|pool after calling end/i,
    unavailable(GONE, true),
  ],
]

/** Classifies an error of the database, the driver or the network. */
export function knownFault(error: unknown): Failure | undefined {
  if (error instanceof CommitUnknown)
    return {
      code: 'outcome_unknown',
      message: 'The connection to the database was lost during the commit, so it is not known whether the change was made.',
    }
  if (error instanceof Overtaken) return unavailable(BUSY, true)
  const { code, message = '', errors } = Object(error) as { code?: string; message?: string; errors?: readonly unknown[] }
  // Several addresses of one host name were tried.
  if (errors?.[0] !== undefined) return knownFault(errors[0])
  if (isState(code)) return BY_STATE[code] ?? BY_STATE[code.slice(0, 2)]
  if (code !== undefined && BY_CODE.has(code)) return unavailable(GONE, true)
  return BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1]
}

const STATEMENT_TIMEOUT = '57014'

/** A search that the database has ended by its own statement timeout would be as long the next time. */
export function asTooExpensive(error: unknown): never {
  if (stateOf(error) !== STATEMENT_TIMEOUT) throw error
  throw new CrmError('too_expensive', 'The search took longer than the database allows a statement.', {
    cause: error,
    hint: 'Narrow it with further filters, or set a longer statement_timeout in the address of the database.',
  })
}

/** The SQLSTATE of a lock timeout. */
export const LOCK_TIMEOUT = '55P03'

export const stateOf = (error: unknown) => (Object(error) as { code?: string }).code

const isState = (code: string | undefined): code is string => code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !BY_CODE.has(code)

/** Whether the server has refused a statement, so that its transaction cannot have been committed. */
export function isRefusal(error: unknown): boolean {
  const { code, severity } = Object(error) as { code?: string; severity?: string }
  return isState(code) && severity !== undefined
}

export const MISCONFIGURED = 'Check the user, the password and the database in the address, and that the user may create tables there.'

/** Whether the address or the rights of the user must be corrected: a retry does not help. */
export function isMisconfigured(error: unknown): boolean {
  return /^(28|3D|3F|42501)/.test((Object(error) as { code?: string }).code ?? '')
}

/** Whether the connection must be closed. */
export function isLost(error: unknown): boolean {
  const { code } = Object(error) as { code?: string }
  return !isRefusal(error) || code === '25006' || /^(57P|08|25P0[34])/.test(code ?? '')
}
