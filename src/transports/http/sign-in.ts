import { createHash } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import type { Authenticate } from '../../core/access/authenticate.ts'
import type { Caller, Service } from '../../core/service.ts'
import { createInTurn } from '../../helpers/in-turn.ts'
import { addressGroup } from './address.ts'
import { storeError } from './errors.ts'
import { type Allowance, createLimiter } from './limits/limiter.ts'
import { createSharedLimiter } from './limits/shared-limiter.ts'

const MAX_FAILURES = 10
const MAX_REMEMBERED = 10_000
/** Keys that are looked up at a time. */
const LOOK_UPS = 4

/** The caller of an Authorization header that came from this address, at once if it is cached; or refuses. */
export type SignIn = (authorization: string | undefined, address: string) => Caller | Promise<Caller>

/**
 * Authenticates the key of a request.
 *
 * Failures are counted by address, over all processes that share the store; after too many of them, wrong keys from that address are answered with
 * `rate_limited`. A valid key is never refused, whatever others behind the same address do. So that a flood of wrong keys does not keep the store from other
 * work, keys that have not worked before are looked up a few at a time, and addresses take turns.
 */
export function createSignIn(authenticate: Authenticate, store: Service['store'], windowMs: number): SignIn {
  const options = { limit: MAX_FAILURES, windowMs, names: MAX_REMEMBERED }
  const failures = createSharedLimiter({ ...options, allow: store.takeFromRateLimit })
  /** Counts in this process while the store is unavailable. */
  const localFailures = createLimiter(options)
  const lookUp = createInTurn(LOOK_UPS)
  const workingKeys = new Set<string>()

  /** Counts a failure. */
  async function takeFailure(name: string): Promise<Allowance> {
    const local = localFailures.peek(name)
    if (!local.allowed) return local
    try {
      return await failures.take(name)
    } catch {
      return localFailures.take(name)
    }
  }

  async function refuse(error: unknown, key: string, address: string): Promise<never> {
    if (!(error instanceof CrmError)) throw storeError(store, error)
    if (error.code !== 'unauthenticated') throw error
    workingKeys.delete(key)
    const left = await takeFailure(counterName(address))
    if (left.allowed) throw error
    throw new CrmError('rate_limited', 'Too many failed sign-ins from this address.', { retryAfter: left.reset, hint: 'Check the key, then try again later.' })
  }

  async function lookUpInTurn(key: string, address: string): Promise<Caller> {
    const caller = await lookUp(addressGroup(address), async () => authenticate(key))
    remember(workingKeys, key)
    return caller
  }

  return (authorization, address) => {
    const key = bearerKey(authorization)
    try {
      const caller = workingKeys.has(key) ? authenticate(key) : lookUpInTurn(key, address)
      return caller instanceof Promise ? caller.catch((error) => refuse(error, key, address)) : caller
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
