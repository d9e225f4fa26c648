import { METHODS } from '../../contract/client/methods.ts'
import type { CallOptions, FollowOptions, Transport } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { fold } from '../../contract/names.ts'
import type { KnownEvent } from '../../contract/records/event.ts'
import { notify } from './hooks.ts'
import { checkCall, checkFollow } from './option-checks.ts'
import type { RetryOptions } from './options.ts'
import { delay } from './timeouts.ts'

/** What is known of one attempt at a call. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  readonly timeoutMs: number
  /** Whether it would matter that it arrived although no answer came. */
  readonly writes: boolean
}

/** Carries calls by single attempts. */
export interface AttemptTransport extends Pick<Transport, 'close'> {
  call(operation: string, input: unknown, options: CallOptions, attempt: Attempt): Promise<unknown>
  batch(batch: unknown, options: CallOptions, attempt: Attempt): Promise<unknown>
  follow(options: FollowOptions): AsyncIterable<KnownEvent>
}

const RETRIES = 3
const TIMEOUT_MS = 30_000

const FIRST_PAUSE_MS = 250
const LONGEST_BACKOFF_MS = 8000

/** Who is asked to come back later than this is told so instead: the service counts calls by the minute. */
const LONGEST_PAUSE_MS = 60_000

const isOne = (operation: string, kinds: readonly (keyof typeof METHODS)[]) =>
  kinds.some((kind) => Object.values<object>(METHODS[kind]).some((methods) => Object.values(methods).includes(fold(String(operation)))))

/** Repeats calls by itself, when that may help and can do no harm: every write carries an idempotency key. */
export function withRetries(tries: AttemptTransport, { retries = RETRIES, timeoutMs = TIMEOUT_MS }: RetryOptions): Transport {
  async function persist(reads: boolean, sends: boolean, given: CallOptions = {}, work: (options: CallOptions, attempt: Attempt) => Promise<unknown>) {
    checkCall(given)
    const writes = !reads && !given.dryRun
    const { idempotencyKey: chosen, onOutcome, ...rest } = given
    const idempotencyKey = writes ? (chosen ?? newKey()) : undefined
    const options: CallOptions = {
      ...rest,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(onOutcome && { onOutcome: (outcome) => void notify(onOutcome, outcome) }),
    }
    const most = sends ? 0 : (given.retries ?? retries)
    let uncertain: CrmError | undefined
    for (let number = 1; ; number++) {
      try {
        return await work(options, { number, timeoutMs: given.timeoutMs ?? timeoutMs, writes })
      } catch (error) {
        if (given.signal?.aborted) throw error
        const refusal = error instanceof CrmError ? error : undefined
        if (writes && refusal?.code === 'outcome_unknown') uncertain = refusal
        const ms = pauseAfter(number, refusal?.retryAfter)
        if (!refusal?.retryable || number > most || ms > LONGEST_PAUSE_MS) throw uncertain ? outcomeUnknown(uncertain, error, idempotencyKey) : error
        await delay(ms, given.signal)
      }
    }
  }

  return {
    ...tries,
    call(operation, input, given) {
      return persist(isOne(operation, ['read', 'page', 'send']), isOne(operation, ['send']), given, (options, attempt) =>
        tries.call(operation, input, options, attempt),
      )
    },
    batch(batch, given) {
      const sends = namesIn(batch).some((name) => isOne(name, ['send']))
      return persist(false, sends, given, (options, attempt) => tries.batch(batch, options, attempt))
    },
    async *follow(given = {}) {
      checkFollow(given)
      yield* tries.follow(given)
    },
  }
}

/** The operations of a batch, which nobody has looked at yet. */
function namesIn(batch: unknown): string[] {
  const { Operations } = Object(batch) as { Operations?: unknown }
  return Array.isArray(Operations) ? Operations.map((one) => String(Object(one).Operation)) : []
}

/** Each longer than the one before and by chance, so that many who were refused together do not come back together. */
function pauseAfter(attempt: number, retryAfter = 0): number {
  return retryAfter * 1000 + Math.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
}

/** Whoever has sent a write that may have been carried out must learn that, whatever was said to the attempts after it. */
function outcomeUnknown(uncertain: CrmError, last: unknown, key: string | undefined): CrmError {
  const later = last === uncertain || !(last instanceof Error) ? '' : ` Asked again: ${last.message}`
  return new CrmError('outcome_unknown', uncertain.message + later, {
    hint: `Nobody knows whether it was carried out. Asking again with idempotencyKey: '${key}' tells, and never carries it out twice.`,
    cause: last,
  })
}

/** Not every page may call crypto.randomUUID. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
