import { setTimeout as sleep } from 'node:timers/promises'
import type { CallOptions, Transport } from '../../src/contract/client/transport.ts'
import { CrmError, type ErrorCode } from '../../src/contract/errors.ts'
import { findOperation } from '../../src/contract/operations.ts'

/** What a caller with a key tries again. */
const PASSING: readonly ErrorCode[] = ['rate_limited', 'platform_unavailable', 'outcome_unknown']
const PAUSE_MS = 40
const TRIES = 100

let keys = 0
const newKey = () => `retryingTransport-${++keys}`

interface Item {
  readonly Key?: string
}

/** A caller who gives every write a key, and asks again with it as long as that may help. `resent` is told when that is a batch. */
export function retryingTransport(carrier: Transport, resent: () => void): Transport {
  async function tried<T>(attempt: () => Promise<T>, passing: (answer: T | CrmError) => boolean, again = () => {}): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await attempt().catch((error: CrmError) => error)
      if (!passing(answer) || tries === TRIES) {
        if (answer instanceof CrmError) throw answer
        return answer as T
      }
      again()
      await sleep(PAUSE_MS)
    }
  }
  return {
    ...carrier,
    call(operation, input, options: CallOptions = {}) {
      const own = options.idempotencyKey !== undefined
      const idempotencyKey = own || options.dryRun || !writes(operation) ? options.idempotencyKey : newKey()
      return tried(
        () => carrier.call(operation, input, { ...options, idempotencyKey }),
        (answer) => answer instanceof CrmError && (PASSING.includes(answer.code) || (!own && answer.code === 'in_progress')),
      )
    },
    batch(batch, options) {
      const { Operations, ...rest } = Object(batch) as { readonly Operations?: readonly Item[] }
      const given = Array.isArray(Operations) && options?.idempotencyKey === undefined && !options?.dryRun
      const keyed = given ? { ...rest, Operations: Operations.map((item) => (item?.Key === undefined ? { ...item, Key: newKey() } : item)) } : batch
      return tried(
        () => carrier.batch(keyed, options),
        (answer) => {
          if (answer instanceof CrmError) return PASSING.includes(answer.code)
          const { Results } = answer as { readonly Results: readonly { readonly Error?: { readonly code: ErrorCode } }[] }
          return Results.some(({ Error: error }) => error && PASSING.includes(error.code))
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
