import { CrmError } from '../../contract/errors.ts'
import type { Caller } from '../../core/service.ts'
import type { Lines } from './answer.ts'
import { createLimiter } from './limiter.ts'

/** Counts calls against the limit of a key: what to tell about it, and the refusal once it is used up. Undefined where there is no limit. */
export type Admit = (caller: Caller, calls?: number) => { readonly lines: Lines; readonly refusal: CrmError | undefined } | undefined

export function createAdmission(rateLimit = 0): Admit {
  if (rateLimit === 0) return () => undefined
  const limiter = createLimiter({ limit: rateLimit, windowMs: 60_000, names: 100_000 })
  const refusal = (calls: number, reset: number) =>
    new CrmError('rate_limited', `This key allows ${rateLimit} calls a minute.`, {
      retryAfter: reset,
      ...(calls > rateLimit && { hint: `A batch of ${calls} calls is more than that; send smaller ones.` }),
    })
  return (caller, calls = 1) => {
    const { allowed, remaining, reset } = limiter.take(caller.keyId ?? caller.userId, calls)
    return {
      lines: ['RateLimit-Limit', String(rateLimit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', String(reset)],
      refusal: allowed ? undefined : refusal(calls, reset),
    }
  }
}
