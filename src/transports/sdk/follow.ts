import { METHODS } from '../../contract/client/methods.ts'
import type { FollowOptions } from '../../contract/client/transport.ts'
import { CrmError, errorOf, type Problem } from '../../contract/errors.ts'
import type { KnownEvent } from '../../contract/records/event.ts'
import { readAnswer, unexpectedAnswer } from './http-errors.ts'
import type { Request } from './request.ts'
import { type Message, readMessages } from './server-sent-events.ts'
import { delay, withTimeout } from './timeouts.ts'

const CONNECT_MS = 30_000

/** The service says at least every 15 s that it is still there. */
const QUIET_MS = 45_000

/** How often a service is looked for that was never there. */
const RETRIES = 3

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/**
 * Events as they happen. A stream that was cut off is taken up again where it ended, for as long as it takes; what is refused for
 * good is thrown, and so is a service that was never there.
 */
export async function* followStream(request: Request, { after, signal }: FollowOptions): AsyncGenerator<KnownEvent> {
  let place = after
  let met = false
  let failures = 0
  for (;;) {
    try {
      const body = await open(failures + 1)
      met = true
      for await (const { event, data, id } of listenTo(body, signal)) {
        failures = 0
        place = id ?? place
        if (event === 'error') throw errorOf(JSON.parse(data) as Problem)
        if (event !== 'cursor') yield JSON.parse(data) as KnownEvent
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!mayPass(error) || (!met && failures >= RETRIES)) throw error
      if (error instanceof CrmError && error.retryAfter !== undefined) await delay(error.retryAfter * 1000, signal)
    }
    failures++
    await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures), signal)
  }

  function open(attempt: number): Promise<ReadableStream<Uint8Array>> {
    return request({
      operation: METHODS.page.events.getMany,
      attempt,
      method: 'GET',
      path: `/v1/events${place === undefined ? '' : `?after=${encodeURIComponent(place)}`}`,
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

/** A refusal for good is one; whatever else ends a stream may be another time. */
const mayPass = (error: unknown) => !(error instanceof CrmError) || error.retryable

/** The messages of one stream, until it ends or falls silent. */
async function* listenTo(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  try {
    yield* readMessages(async () => (await withTimeout(QUIET_MS, signal, () => reader.read())).value)
  } finally {
    // A stream that has failed cannot be cancelled, and need not be.
    await reader.cancel().catch(() => {})
  }
}
