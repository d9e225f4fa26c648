import type { Platform } from '../../platforms/platform.ts'
import { retryFor } from './retry.ts'

/** Two that stand in each other's way are out of it soon. */
const PATIENCE_MS = 2_000
const PAUSES = { firstMs: 5, longestMs: 200 }

/**
 * A platform whose writes are tried again as long as they failed without having done anything: because two of them stood in each
 * other's way, or because a connection was lost before anything was sent.
 */
export function withTransactionRetry<P extends Platform>(platform: P): P {
  const patience = retryFor(PATIENCE_MS, PAUSES)
  const look = (error: unknown) => ({ again: platform.classify(error)?.retryNow ?? false })
  return { ...platform, write: (workspace, work, how) => patience(() => platform.write(workspace, work, how), look) }
}
