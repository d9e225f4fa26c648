import type { ServerResponse } from 'node:http'
import { CrmError } from '../../../contract/errors.ts'
import { shareOf } from '../../../core/call/budget.ts'
import type { Caller, Service } from '../../../core/service.ts'
import { whileUsed } from '../../../helpers/idle-cache.ts'
import { storeError } from '../errors.ts'
import type { HeaderLines } from '../response.ts'
import type { Allowance } from './limiter.ts'
import { createSharedLimiter } from './shared-limiter.ts'

/** The RateLimit headers of an answer, and the refusal once the limit is used up. */
export interface RateLimitState {
  readonly lines: HeaderLines
  readonly refusal: CrmError | undefined
}

/** Counts calls against the rate limits of a key and of its workspace, except those already `counted`. Undefined where there is no limit. */
export type CheckRateLimit = (caller: Caller, calls?: number, counted?: number) => Promise<RateLimitState> | undefined

/** What one limit says of a call. */
interface Taken extends Allowance {
  readonly whose: string
  readonly limit: number
}

/** Limits that hold for all processes that share the store. */
export function createRateLimit(store: Service['store'], windowMs: number, rateLimit = 0): CheckRateLimit {
  const limiterOf = whileUsed((limit: number) => createSharedLimiter({ allow: store.takeFromRateLimit, limit, windowMs, names: 100_000 }))
  return (caller, calls = 1, counted = 0) => {
    const ofWorkspace = caller.workspace.limits.callsPerMinute ?? 0
    return rateLimit === 0 && ofWorkspace === 0 ? undefined : check(caller, ofWorkspace, calls, calls - counted)
  }

  async function check(caller: Caller, ofWorkspace: number, calls: number, uncounted: number): Promise<RateLimitState> {
    const take = async (whose: string, limit: number, name: string): Promise<Taken[]> =>
      limit === 0 ? [] : [{ whose, limit, ...(await limiterOf(limit).take(name, uncounted)) }]
    try {
      const ofKey = await take('key', rateLimit, shareOf(caller))
      const all = ofKey[0]?.allowed === false ? ofKey : [...ofKey, ...(await take('workspace', ofWorkspace, `workspace ${caller.workspace.number}`))]
      const tightest = all.reduce((one, other) => (one.allowed && (!other.allowed || other.remaining < one.remaining) ? other : one))
      const { limit, remaining, reset, allowed } = tightest
      return {
        lines: ['RateLimit-Limit', String(limit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', String(reset)],
        refusal: allowed ? undefined : overLimit(tightest, calls),
      }
    } catch (error) {
      throw storeError(store, error)
    }
  }

  function overLimit({ whose, limit, reset: retryAfter }: Taken, calls: number): CrmError {
    const hint = calls > limit ? `A batch of ${calls} calls is more than that; send smaller ones.` : undefined
    return new CrmError('rate_limited', `This ${whose} allows ${limit} calls a minute.`, { retryAfter, ...(hint && { hint }) })
  }
}

/** Counts calls against the rate limit of the key, sets the RateLimit headers of the answer, and refuses once the limit is used up. */
export async function enforceRateLimit(
  { checkRateLimit }: { readonly checkRateLimit: CheckRateLimit },
  raw: ServerResponse,
  caller: Caller,
  calls?: number,
  counted?: number,
): Promise<void> {
  const { lines = [], refusal } = (await checkRateLimit(caller, calls, counted)) ?? {}
  for (let i = 0; i < lines.length; i += 2) raw.setHeader(lines[i] as string, lines[i + 1] as string)
  if (refusal) throw refusal
}
