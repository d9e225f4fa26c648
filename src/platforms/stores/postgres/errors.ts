import type { Failure } from '../../platform.ts'

/** A commit was asked for, and nobody heard what became of it. */
export class CommitUnknown extends Error {}

/** What another did at the same moment has made this work pointless; nothing was written. */
export class Overtaken extends Error {}

const unavailable = (message: string, again = false): Failure => ({ code: 'platform_unavailable', message, retryNow: again })

const GONE = 'The database did not answer.'
const BUSY = 'The database is busy with other writes of the same records.'

/** By SQLSTATE, or its first two letters. */
const BY_STATE: { readonly [state: string]: Failure | undefined } = {
  '08': unavailable(GONE, true),
  // Somebody has just made the same; whoever looks again finds it.
  '23505': { code: 'internal', message: 'Two writes wanted to make the same, again and again.', retryNow: true },
  // A password or a right that was taken away, a database that was removed; at the start it is said in full.
  '28': unavailable('The database refuses us.'),
  '3D': unavailable('The database is gone.'),
  '42501': unavailable('The database does not let us do this.'),
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

/** What the driver and the network say. */
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

/** What is known of a failure: of the database, the driver or the network. */
export function knownFault(error: unknown): Failure | undefined {
  if (error instanceof CommitUnknown)
    return {
      code: 'outcome_unknown',
      message: 'The connection to the database was lost at the very moment of the commit, and nobody can tell whether it happened.',
    }
  if (error instanceof Overtaken) return unavailable(BUSY, true)
  const { code, message = '', errors } = Object(error) as { code?: string; message?: string; errors?: readonly unknown[] }
  // Several addresses of one name were tried.
  if (errors?.[0] !== undefined) return knownFault(errors[0])
  if (isState(code)) return BY_STATE[code] ?? BY_STATE[code.slice(0, 2)]
  if (code !== undefined && BY_CODE.has(code)) return unavailable(GONE, true)
  return BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1]
}

/** SQLSTATE of a lock that was not free in time. */
export const LOCK_TIMEOUT = '55P03'

export const stateOf = (error: unknown) => (Object(error) as { code?: string }).code

const isState = (code: string | undefined): code is string => code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !BY_CODE.has(code)

/** Whether the database itself has refused a statement, so that the transaction it was part of cannot have been committed. */
export function isRefusal(error: unknown): boolean {
  const { code, severity } = Object(error) as { code?: string; severity?: string }
  return isState(code) && severity !== undefined
}

export const MISCONFIGURED = 'Check the user, the password and the database in the address, and that the user may create tables there.'

/** Whether it is the address, or what the server lets its user do, that has to be put right: trying again does not help. */
export function isMisconfigured(error: unknown): boolean {
  return /^(28|3D|3F|42501)/.test((Object(error) as { code?: string }).code ?? '')
}

/** Whether the connection is of no more use. */
export function isLost(error: unknown): boolean {
  const { code } = Object(error) as { code?: string }
  return !isRefusal(error) || code === '25006' || /^(57P|08|25P0[34])/.test(code ?? '')
}
