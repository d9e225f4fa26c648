import { setTimeout as sleep } from 'node:timers/promises'
import type { CallOptions, Transport } from '../../src/contract/client/transport.ts'
import { CrmError, type ErrorCode } from '../../src/contract/errors.ts'
import { findOperation } from '../../src/contract/operations.ts'

/** What a caller with an idempotency key retries. */
const RETRYABLE: readonly ErrorCode[] = ['rate_limited', 'platform_unavailable', 'outcome_unknown']
const PAUSE_MS = 40
const TRIES = 100

let keys = 0
const newKey = () => `retryingTransport-${++keys}`

interface Item {
  readonly Key?: string
}

/** Gives every write an idempotency key and retries what is retryable. `resent` is called for each retry of a batch. */
export function retryingTransport(transport: Transport, resent: () => void): Transport {
  async function retry<T>(attempt: () => Promise<T>, retryable: (answer: T | CrmError) => boolean, onRetry = () => {}): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await attempt().catch((error: CrmError) => error)
      if (!retryable(answer) || tries === TRIES) {
        if (answer instanceof CrmError) throw answer
        return answer as T
      }
      onRetry()
      await sleep(PAUSE_MS)
    }
  }
  return {
    ...transport,
    call(operation, input, options: CallOptions = {}) {
      const own = options.idempotencyKey !== undefined
      const idempotencyKey = own || options.dryRun || !writes(operation) ? options.idempotencyKey : newKey()
      return retry(
        () => transport.call(operation, input, { ...options, idempotencyKey }),
        (answer) => answer instanceof CrmError && (RETRYABLE.includes(answer.code) || (!own && answer.code === 'in_progress')),
      )
    },
    batch(batch, options) {
      const { Operations, ...rest } = Object(batch) as { readonly Operations?: readonly Item[] }
      const given = Array.isArray(Operations) && options?.idempotencyKey === undefined && !options?.dryRun
      const keyed = given ? { ...rest, Operations: Operations.map((item) => (item?.Key === undefined ? { ...item, Key: newKey() } : item)) } : batch
      return retry(
        () => transport.batch(keyed, options),
        (answer) => {
          if (answer instanceof CrmError) return RETRYABLE.includes(answer.code)
          const { Results } = answer as { readonly Results: readonly { readonly Error?: { readonly code: ErrorCode } }[] }
          return Results.some(({ Error: error }) => error && RETRYABLE.includes(error.code))
        },
        resent,
      )
    },
  }
}

function writes(operation: string): boolean {
  try {
    return findOperation(operation).effect !== 'read'
  } catch {
    return false
  }
}
