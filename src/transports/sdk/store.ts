import type { Transport } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { toJson } from './json.ts'
import type { StoreOptions } from './options.ts'
import { TimedOut, within } from './pauses.ts'
import { noAnswer } from './refusals.ts'
import type { Attempt, Tries } from './retries.ts'

/** Carries calls to a store that this process opens itself, with the first of them. */
export function inProcess({ platform, store = platform, key, workspace }: StoreOptions): Tries {
  let opening: Promise<Transport> | undefined
  const closing = new AbortController()

  function open(): Promise<Transport> {
    if (closing.signal.aborted) throw new CrmError('unsupported', 'This client has been closed.', { hint: 'Connect again.' })
    opening ??= import('crm-connector/local')
      .then(({ openLocal }) => openLocal({ platform, store }, { key, workspace, transport: 'sdk' }))
      .catch((error: unknown) => {
        opening = undefined
        throw error
      })
    return opening
  }

  /** Inputs and answers are what they would be over HTTP: plain, and nobody else's. */
  async function attempt(work: (carrier: Transport) => Promise<unknown>, signal: AbortSignal | undefined, { timeoutMs, writes }: Attempt): Promise<unknown> {
    try {
      return JSON.parse(JSON.stringify(await within(timeoutMs, signal, async () => work(await open()))))
    } catch (error) {
      throw error instanceof TimedOut ? noAnswer('The store', writes, error) : error
    }
  }

  return {
    call: (operation, input, options, known) => attempt((carrier) => carrier.call(operation, JSON.parse(toJson(input)), options), options.signal, known),
    batch: (batch, options, known) => attempt((carrier) => carrier.batch(JSON.parse(toJson(batch)), options), options.signal, known),

    async *follow({ after, signal }) {
      const carrier = await open()
      const either = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
      try {
        yield* carrier.follow?.({ after, signal: either }) ?? []
      } catch (error) {
        // Whoever closes the client wants to hear no more of it.
        if (signal?.aborted || !closing.signal.aborted) throw error
      }
    },

    async close() {
      closing.abort()
      const carrier = await opening?.catch(() => undefined)
      await carrier?.close?.()
    },
  }
}
