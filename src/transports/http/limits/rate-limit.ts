import type { ServerResponse } from 'node:http'
import { CrmError } from '../../../contract/errors.ts'
import { shareOf } from '../../../core/call/budget.ts'
import type { Caller, Service } from '../../../core/service.ts'
import { storeError } from '../errors.ts'
import type { HeaderLines } from '../response.ts'
import { createSharedLimiter } from './shared-limiter.ts'

/** The RateLimit headers of an answer, and the refusal once the limit is used up. */
export interface RateLimitState {
  readonly lines: HeaderLines
  readonly refusal: CrmError | undefined
}

/** Counts calls against the rate limit of a key, except those already `counted`. Undefined where there is no limit. */
export type CheckRateLimit = (caller: Caller, calls?: number, counted?: number) => Promise<RateLimitState> | undefined

/** A limit that holds for all processes that share the store. */
export function createRateLimit(store: Service['store'], windowMs: number, rateLimit = 0): CheckRateLimit {
  if (rateLimit === 0) return () => undefined
  const limiter = createSharedLimiter({ allow: store.takeFromRateLimit, limit: rateLimit, windowMs, names: 100_000 })
  return async (caller, calls = 1, counted = 0) => {
    try {
      const { allowed, remaining, reset } = await limiter.take(shareOf(caller), calls - counted)
      return {
        lines: ['RateLimit-Limit', String(rateLimit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', String(reset)],
        refusal: allowed ? undefined : overLimit(calls, reset),
      }
    } catch (error) {
      throw storeError(store, error)
    }
  }

  function overLimit(calls: number, retryAfter: number): CrmError {
    const hint = calls > rateLimit ? `A batch of ${calls} calls is more than that; send smaller ones.` : undefined
    return new CrmError('rate_limited', `This key allows ${rateLimit} calls a minute.`, { retryAfter, ...(hint && { hint }) })
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
