import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Retry } from '../../platforms/platform.ts'

/** The backoff: the first pause, and the longest that doubling leads to. */
export interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
}

const PAUSES: Pauses = { firstMs: 200, longestMs: 5_000 }

type OnRetry = (error: unknown) => void

const listener = new AsyncLocalStorage<OnRetry>()

/** Does some work, and tells of its attempts that take long, or have failed and are made again; of undefined where one has succeeded at last. */
export const listeningToRetries = <T>(onRetry: OnRetry, work: () => Promise<T>): Promise<T> => listener.run(onRetry, work)

const counter = new AsyncLocalStorage<() => void>()

/** Does some work, and tells of each request to a CRM that is sent for it, those that are sent again included. */
export const listeningToRequests = <T>(onSent: () => void, work: () => Promise<T>): Promise<T> => counter.run(onSent, work)

const ending = new AsyncLocalStorage<AbortSignal>()

/** Does some work, none of whose attempts is made again once the signal is aborted. */
export const retryingUntil = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => ending.run(signal, work)

/** Retries an attempt for `budgetMs` after its first failure. The budget starts there, so that a slow first attempt is retried too. */
export function retryFor(budgetMs: number, { firstMs, longestMs }: Pauses = PAUSES): Retry {
  return async (attempt, classify) => {
    const [onRetry, onSent] = [listener.getStore(), counter.getStore()]
    const signal = ending.getStore()
    let isReported = false
    const report = (error: unknown) => {
      isReported = true
      onRetry?.(error)
    }
    let deadline: number | undefined
    for (let pause = firstMs; ; pause = Math.min(2 * pause, longestMs)) {
      try {
        const result = await attempt(report, onSent)
        if (isReported) onRetry?.(undefined)
        return result
      } catch (error) {
        const { retryable, afterMs } = classify(error)
        deadline ??= Date.now() + budgetMs
        // Jitter keeps conflicting transactions apart. A Retry-After of the platform takes precedence.
        const wait = afterMs ?? pause * Math.random()
        if (!retryable || Date.now() + wait > deadline) throw error
        report(error)
        await sleep(wait, undefined, { ...(signal && { signal }) }).catch(() => {})
        if (signal?.aborted) throw error
      }
    }
  }
}
