import { regularId } from '../../contract/client/method-ids.ts'
import type { FollowOptions } from '../../contract/client/transport.ts'
import { CrmError, errorOf, type Problem } from '../../contract/errors.ts'
import type { KnownEvent } from '../../contract/records/event.ts'
import { backoffMs } from '../../helpers/backoff.ts'
import { readAnswer, unexpectedAnswer } from './http-errors.ts'
import type { Request } from './request.ts'
import { type Message, readMessages } from './server-sent-events.ts'
import { delay, withTimeout } from './timeouts.ts'

const CONNECT_MS = 30_000

/** The service sends a heartbeat at least every 15 s; a stream without one for so long has failed. */
const SILENCE_MS = 45_000

/** Retries before the first connection. After it, reconnecting goes on without end. */
const FIRST_RETRIES = 3

const BACKOFF = { firstMs: 1000, longestMs: 30_000 }

/**
 * Events as they happen. After a lost connection it reconnects and resumes where it ended, however long that takes. Throws errors that
 * are not retryable, and a first connection that fails.
 */
export async function* followStream(request: Request, { after, signal }: FollowOptions): AsyncGenerator<KnownEvent> {
  let cursor = after
  let connected = false
  let failures = 0
  for (;;) {
    try {
      const body = await open(failures + 1)
      connected = true
      for await (const { event, data, id } of messagesOf(body, signal)) {
        failures = 0
        cursor = id ?? cursor
        if (event === 'error') throw errorOf(JSON.parse(data) as Problem)
        if (event !== 'cursor') yield JSON.parse(data) as KnownEvent
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!isTransient(error) || (!connected && failures >= FIRST_RETRIES)) throw error
      if (error instanceof CrmError && error.retryAfter !== undefined) await delay(error.retryAfter * 1000, signal)
    }
    failures++
    await delay(backoffMs(failures, BACKOFF), signal)
  }

  function open(attempt: number): Promise<ReadableStream<Uint8Array>> {
    return request({
      operation: regularId('events', 'getMany'),
      attempt,
      method: 'GET',
      path: `/v1/events${cursor === undefined ? '' : `?after=${encodeURIComponent(cursor)}`}`,
      headers: { accept: 'text/event-stream' },
      timeoutMs: CONNECT_MS,
      signal,
      writes: false,
      async read(response) {
        const isStream = response.ok && response.headers.get('content-type')?.startsWith('text/event-stream')
        if (isStream && response.body) return response.body
        const answer = await readAnswer(response, false)
        throw unexpectedAnswer(response, JSON.stringify(answer), false)
      },
    })
  }
}

const isTransient = (error: unknown) => !(error instanceof CrmError) || error.retryable

/** The messages of one stream, until it ends or its heartbeat stays out. */
async function* messagesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  try {
    yield* readMessages(async () => (await withTimeout(SILENCE_MS, signal, () => reader.read())).value)
  } finally {
    // Cancelling a stream that has failed rejects.
    await reader.cancel().catch(() => {})
  }
}
