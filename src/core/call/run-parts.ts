import { setTimeout as delay } from 'node:timers/promises'
import { CrmError } from '../../contract/errors.ts'
import { backoffMs } from '../../helpers/backoff.ts'
import { findEntry, fingerprintOf, storedAnswer } from '../journal/idempotency.ts'
import type { CheckedCall, Outcome, Part, Parts, Prepared } from './types.ts'
import { wrapError } from './wrap-error.ts'

/**
 * Runs the parts of a write one after the other where there is no transaction for all of them. Each is recorded as it ends, under a key of its own, so that
 * the same call again goes on with those that are left; the call's own key has an answer once there are none. What is refused holds up no other; where all
 * are, the call is refused.
 */
export async function runParts(
  checked: CheckedCall,
  { confirmation }: Prepared,
  { each, answer }: Parts,
  runWrite: (checked: CheckedCall, prepared: Prepared) => Promise<Outcome>,
): Promise<Outcome> {
  const { service, caller, call, binding, operation, budget, idempotency: own } = checked
  const { number } = caller.workspace
  const replayed = storedAnswer(await findEntry(checked, service.store.journal(number)))
  if (replayed) return replayed
  if (confirmation) await service.store.write(number, (writer) => confirmation.use(writer))
  const ends = new Map<Part, Outcome | CrmError>()
  for (const part of each) ends.set(part, await endOf(part))
  const refusals = [...ends.values()].filter((end) => end instanceof CrmError)
  const [first] = refusals
  if (first && refusals.length === each.length) {
    if (confirmation) await service.store.write(number, (writer) => confirmation.release(writer))
    throw first
  }
  const done = [...ends.values()].findLast((end) => !(end instanceof CrmError)) as Outcome | undefined
  const [result, changeId] = [answer(ends), done?.changeId]
  if (own && !first) {
    const entry = { fingerprint: own.fingerprint, state: 'done', answer: JSON.stringify(result), changeId: changeId ?? null } as const
    await service.store.write(number, (writer) => writer.putIdempotencyKey(caller.userId, own.key, { ...entry, at: writer.now() }))
  }
  return { result, changeId }

  /** What may pass is tried again: the caller who gets an answer about all parts would not repeat the call. */
  async function endOf(part: Part, attempt = 1): Promise<Outcome | CrmError> {
    try {
      budget.check()
      const idempotency = { key: part.key, fingerprint: fingerprintOf(operation, part.input) }
      return await runWrite({ ...checked, idempotency }, part.prepare())
    } catch (error) {
      const refusal = wrapError(service, call, binding, error)
      const pauseMs = (refusal.retryAfter ?? 0) * 1000 + backoffMs(attempt, BACKOFF)
      if (!refusal.retryable || attempt === ATTEMPTS || pauseMs > BACKOFF.longestMs) return refusal
      await delay(pauseMs, undefined, { signal: budget.signal }).catch(() => {})
      return endOf(part, attempt + 1)
    }
  }
}

const ATTEMPTS = 4
const BACKOFF = { firstMs: 250, longestMs: 5000 }
