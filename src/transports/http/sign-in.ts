import { CrmError } from '../../contract/errors.ts'
import type { Authenticate } from '../../core/authenticate.ts'
import type { Caller } from '../../core/service.ts'
import { addressGroup } from './address.ts'
import { createLimiter } from './limiter.ts'

const FAILURES = 10
const WINDOW_MS = 60_000
const REMEMBERED = 10_000

/** Answers with the caller behind an Authorization header that came from this address, or refuses; at once where the key is known. */
export type SignIn = (authorization: string | undefined, address: string) => Caller | Promise<Caller>

/**
 * Turns the key of a request into its caller.
 *
 * Failures are counted by address. Once there were too many, keys from that address are no longer looked up, except those
 * that have worked before: a neighbour who guesses must not lock out those who know.
 */
export function createSignIn(authenticate: Authenticate): SignIn {
  const failures = createLimiter({ limit: FAILURES, windowMs: WINDOW_MS, names: REMEMBERED })
  const worked = new Set<string>()

  function refuse(error: unknown, key: string, address: string): never {
    if (error instanceof CrmError && error.code === 'unauthenticated') {
      worked.delete(key)
      failures.take(addressGroup(address))
    }
    throw error
  }

  async function first(key: string, address: string): Promise<Caller> {
    const left = failures.look(addressGroup(address))
    if (!left.allowed) {
      throw new CrmError('rate_limited', 'Too many failed sign-ins from this address.', {
        retryAfter: left.reset,
        hint: 'Check the key, then try again later.',
      })
    }
    try {
      const caller = await authenticate(key)
      remember(worked, key)
      return caller
    } catch (error) {
      return refuse(error, key, address)
    }
  }

  return (authorization, address) => {
    const key = bearerKey(authorization)
    if (!worked.has(key)) return first(key, address)
    try {
      const caller = authenticate(key)
      return caller instanceof Promise ? caller.catch((error) => refuse(error, key, address)) : caller
    } catch (error) {
      return refuse(error, key, address)
    }
  }
}

/** The key in an Authorization header; refuses when there is none. */
function bearerKey(header: string | undefined): string {
  const key = header === undefined ? undefined : header.startsWith('Bearer ') ? header.slice(7).trim() : /^bearer\s+(\S.*)$/i.exec(header)?.[1]?.trim()
  if (key) return key
  throw new CrmError('unauthenticated', 'This call needs a key.', { hint: 'Send the header Authorization: Bearer KEY.' })
}

function remember(worked: Set<string>, key: string): void {
  if (worked.size >= REMEMBERED) worked.delete(worked.values().next().value ?? '')
  worked.add(key)
}
