import type { Platform } from '../../platforms/platform.ts'
import { retryFor } from './retry.ts'

/** Conflicting transactions end soon. */
const RETRY_MS = 2_000
const PAUSES = { firstMs: 5, longestMs: 200 }

/** A platform that retries writes which failed without an effect: a conflict of two transactions, or a connection lost before anything was sent. */
export function withTransactionRetry<P extends Platform>(platform: P): P {
  const retry = retryFor(RETRY_MS, PAUSES)
  const classify = (error: unknown) => ({ retryable: platform.classify(error)?.retryNow ?? false })
  return { ...platform, write: (workspace, work, how) => retry(() => platform.write(workspace, work, how), classify) }
}
