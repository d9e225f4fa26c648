import { methodsIn } from '../../contract/client/method-ids.ts'
import { METHODS } from '../../contract/client/methods.ts'
import type { CallOptions, FollowOptions, Transport } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { fold } from '../../contract/names.ts'
import type { KnownEvent } from '../../contract/records/event.ts'
import { backoffMs } from '../../helpers/backoff.ts'
import { notify } from './hooks.ts'
import { checkCall, checkFollow } from './option-checks.ts'
import type { RetryOptions } from './options.ts'
import { delay } from './timeouts.ts'

export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  readonly timeoutMs: number
  /** Whether the outcome is unknown where no answer comes. */
  readonly writes: boolean
}

/** Sends each call once. */
export interface AttemptTransport extends Pick<Transport, 'close'> {
  call(operation: string, input: unknown, options: CallOptions, attempt: Attempt): Promise<unknown>
  batch(batch: unknown, options: CallOptions, attempt: Attempt): Promise<unknown>
  follow(options: FollowOptions): AsyncIterable<KnownEvent>
}

const RETRIES = 3
const TIMEOUT_MS = 30_000

const BACKOFF = { firstMs: 250, longestMs: 8000 }

/** A longer delay is thrown to the caller instead of waited for. The service's rate limit counts by the minute. */
const LONGEST_PAUSE_MS = 60_000

const isOne = (operation: string, kinds: readonly (keyof typeof METHODS)[]) =>
  kinds.some((kind) =>
    Object.entries<string>(METHODS[kind]).some(([group, methods]) => methodsIn(group, methods).some(([, id]) => id === fold(String(operation)))),
  )

/** Retries what is retryable. Writes are safe to repeat, since each carries an idempotency key. */
export function withRetries(transport: AttemptTransport, { retries = RETRIES, timeoutMs = TIMEOUT_MS }: RetryOptions): Transport {
  async function retry(reads: boolean, sends: boolean, given: CallOptions = {}, work: (options: CallOptions, attempt: Attempt) => Promise<unknown>) {
    checkCall(given)
    const writes = !reads && !given.dryRun
    const { idempotencyKey: chosen, onOutcome, ...rest } = given
    const idempotencyKey = writes ? (chosen ?? newKey()) : undefined
    const options: CallOptions = {
      ...rest,
      ...(idempotencyKey && { idempotencyKey }),
      ...(onOutcome && { onOutcome: (outcome) => void notify(onOutcome, outcome) }),
    }
    const maxRetries = sends ? 0 : (given.retries ?? retries)
    let uncertain: CrmError | undefined
    for (let number = 1; ; number++) {
      try {
        return await work(options, { number, timeoutMs: given.timeoutMs ?? timeoutMs, writes })
      } catch (error) {
        if (given.signal?.aborted) throw error
        const refusal = error instanceof CrmError ? error : undefined
        if (writes && refusal?.code === 'outcome_unknown') uncertain = refusal
        const ms = (refusal?.retryAfter ?? 0) * 1000 + backoffMs(number, BACKOFF)
        if (!refusal?.retryable || number > maxRetries || ms > LONGEST_PAUSE_MS) throw uncertain ? outcomeUnknown(uncertain, error, idempotencyKey) : error
        await delay(ms, given.signal)
      }
    }
  }

  return {
    ...transport,
    call(operation, input, given) {
      return retry(isOne(operation, ['read', 'page', 'send']), isOne(operation, ['send']), given, (options, attempt) =>
        transport.call(operation, input, options, attempt),
      )
    },
    batch(batch, given) {
      const sends = namesIn(batch).some((name) => isOne(name, ['send']))
      return retry(false, sends, given, (options, attempt) => transport.batch(batch, options, attempt))
    },
    async *follow(given = {}) {
      checkFollow(given)
      yield* transport.follow(given)
    },
  }
}

/** The operations of a batch that is not yet checked. */
function namesIn(batch: unknown): string[] {
  const { Operations } = Object(batch) as { Operations?: unknown }
  return Array.isArray(Operations) ? Operations.map((one) => String(Object(one).Operation)) : []
}

/** A write that may have been executed ends with `outcome_unknown`, whatever the attempts after it were answered. */
function outcomeUnknown(uncertain: CrmError, last: unknown, key: string | undefined): CrmError {
  const later = last === uncertain || !(last instanceof Error) ? '' : ` A retry failed: ${last.message}`
  return new CrmError('outcome_unknown', uncertain.message + later, {
    hint: `It may have been executed. Repeat it with idempotencyKey: '${key}' to get its outcome; it never runs twice.`,
    cause: last,
  })
}

/** crypto.randomUUID is missing in pages that are not served over HTTPS. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
