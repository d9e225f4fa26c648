import { createHash } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import type { Authenticate } from '../../core/access/authenticate.ts'
import type { Caller, Service } from '../../core/service.ts'
import { addressGroup } from './address.ts'
import { type Allowance, createLimiter } from './limiter.ts'
import { storeFault } from './refusal.ts'
import { createSharedLimiter } from './shared-limiter.ts'

const FAILURES = 10
const REMEMBERED = 10_000

/** Answers with the caller behind an Authorization header that came from this address, or refuses; at once where the key is known. */
export type SignIn = (authorization: string | undefined, address: string) => Caller | Promise<Caller>

/**
 * Turns the key of a request into its caller.
 *
 * Failures are counted by address, in all processes that share the store together. Once there were too many, keys from that address are no longer looked up, except those
 * that have worked before: a neighbour who guesses must not lock out those who know.
 */
export function createSignIn(authenticate: Authenticate, store: Service['store'], windowMs: number): SignIn {
  const options = { limit: FAILURES, windowMs, names: REMEMBERED }
  const failures = createSharedLimiter({ ...options, allow: store.takeFromRateLimit })
  /** Counts while the store cannot. */
  const alone = createLimiter(options)
  const worked = new Set<string>()

  async function failuresLeft(name: string): Promise<Allowance> {
    const here = alone.look(name)
    if (!here.allowed) return here
    try {
      return await failures.look(name)
    } catch {
      return here
    }
  }

  async function refuse(error: unknown, key: string, address: string): Promise<never> {
    if (!(error instanceof CrmError)) throw storeFault(store, error)
    if (error.code === 'unauthenticated') {
      worked.delete(key)
      const name = nameOf(address)
      try {
        await failures.take(name)
      } catch {
        alone.take(name)
      }
    }
    throw error
  }

  async function first(key: string, address: string): Promise<Caller> {
    const left = await failuresLeft(nameOf(address))
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

/** What failures from an address are counted under. The store need not know the address. */
const nameOf = (address: string) => `sign-in:${createHash('sha256').update(addressGroup(address)).digest('base64url')}`

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
