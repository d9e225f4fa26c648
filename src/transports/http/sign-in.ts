import { createHash } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import type { Authenticate } from '../../core/access/authenticate.ts'
import type { Caller, Service } from '../../core/service.ts'
import { addressGroup } from './address.ts'
import { storeError } from './errors.ts'
import { type Allowance, createLimiter } from './limits/limiter.ts'
import { createSharedLimiter } from './limits/shared-limiter.ts'

const MAX_FAILURES = 10
const MAX_REMEMBERED = 10_000

/** Resolves to the caller of an Authorization header that came from this address, or refuses. */
export type SignIn = (authorization: string | undefined, address: string) => Promise<Caller>

/**
 * Authenticates the key of a request.
 *
 * Failures are counted by address, over all processes that share the store. After too many of them, unknown keys from that address are refused without a
 * look-up. Keys that have worked before are not, so that an attacker behind the same address cannot lock out others.
 */
export function createSignIn(authenticate: Authenticate, store: Service['store'], windowMs: number): SignIn {
  const options = { limit: MAX_FAILURES, windowMs, names: MAX_REMEMBERED }
  const failures = createSharedLimiter({ ...options, allow: store.takeFromRateLimit })
  /** Counts in this process while the store is unavailable. */
  const localFailures = createLimiter(options)
  const workingKeys = new Set<string>()

  async function failuresLeft(name: string): Promise<Allowance> {
    const local = localFailures.peek(name)
    if (!local.allowed) return local
    try {
      return await failures.peek(name)
    } catch {
      return local
    }
  }

  async function refuse(error: unknown, key: string, address: string): Promise<never> {
    if (!(error instanceof CrmError)) throw storeError(store, error)
    if (error.code === 'unauthenticated') {
      workingKeys.delete(key)
      const name = counterName(address)
      try {
        await failures.take(name)
      } catch {
        localFailures.take(name)
      }
    }
    throw error
  }

  return async (authorization, address) => {
    const key = bearerKey(authorization)
    const isNew = !workingKeys.has(key)
    if (isNew) {
      const left = await failuresLeft(counterName(address))
      if (!left.allowed)
        throw new CrmError('rate_limited', 'Too many failed sign-ins from this address.', {
          retryAfter: left.reset,
          hint: 'Check the key, then try again later.',
        })
    }
    try {
      const caller = await authenticate(key)
      if (isNew) remember(workingKeys, key)
      return caller
    } catch (error) {
      return refuse(error, key, address)
    }
  }
}

/** The name under which failures from an address are counted; hashed, so that the store holds no addresses. */
const counterName = (address: string) => `sign-in:${createHash('sha256').update(addressGroup(address)).digest('base64url')}`

/** The key in an Authorization header; refuses when there is none. */
function bearerKey(header: string | undefined): string {
  const key = header === undefined ? undefined : header.startsWith('Bearer ') ? header.slice(7).trim() : /^bearer\s+(\S.*)$/i.exec(header)?.[1]?.trim()
  if (key) return key
  throw new CrmError('unauthenticated', 'This call needs a key.', { hint: 'Send the header Authorization: Bearer KEY.' })
}

function remember(keys: Set<string>, key: string): void {
  if (keys.size >= MAX_REMEMBERED) keys.delete(keys.values().next().value ?? '')
  keys.add(key)
}
