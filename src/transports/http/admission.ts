import { CrmError } from '../../contract/errors.ts'
import type { Caller, Service } from '../../core/service.ts'
import type { Lines } from './answer.ts'
import type { Allowance } from './limiter.ts'
import { storeFault } from './refusal.ts'
import { createSharedLimiter } from './shared-limiter.ts'

/** What to tell about the limit of a key, and the refusal once it is used up. */
export interface Admission {
  readonly lines: Lines
  readonly refusal: CrmError | undefined
}

/** Counts calls against the limit of a key, at once unless the store has to be asked. Undefined where there is no limit. */
export type Admit = (caller: Caller, calls?: number) => Admission | Promise<Admission> | undefined

/** The limit holds for all processes that share the store. */
export function createAdmission(store: Service['store'], windowMs: number, rateLimit = 0): Admit {
  if (rateLimit === 0) return () => undefined
  const limiter = createSharedLimiter({ allow: store.takeFromRateLimit, limit: rateLimit, windowMs, names: 100_000 })
  const refusal = (calls: number, reset: number) =>
    new CrmError('rate_limited', `This key allows ${rateLimit} calls a minute.`, {
      retryAfter: reset,
      ...(calls > rateLimit && { hint: `A batch of ${calls} calls is more than that; send smaller ones.` }),
    })
  const told = (calls: number, { allowed, remaining, reset }: Allowance): Admission => ({
    lines: ['RateLimit-Limit', String(rateLimit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', String(reset)],
    refusal: allowed ? undefined : refusal(calls, reset),
  })
  return (caller, calls = 1) => {
    const taken = limiter.take(`${caller.workspace.number}:${caller.keyId ?? caller.userId}`, calls)
    if (!(taken instanceof Promise)) return told(calls, taken)
    return taken.then(
      (allowance) => told(calls, allowance),
      (error) => {
        throw storeFault(store, error)
      },
    )
  }
}
