import type { Transport } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { lazy } from '../../helpers/lazy.ts'
import { noAnswer } from './http-errors.ts'
import { toJson } from './json.ts'
import type { StoreOptions } from './options.ts'
import type { Attempt, AttemptTransport } from './retries.ts'
import { TimeoutError, withTimeout } from './timeouts.ts'

/** Executes calls on a store that this process opens, with the first call. */
export function inProcess({ platform, store = platform, key, workspace }: StoreOptions): AttemptTransport {
  let opening: Promise<Transport> | undefined
  const closing = new AbortController()
  const openStore = lazy(async () => {
    const { openLocal } = await import('crm-connector/local')
    return openLocal({ platform, store }, { key, workspace, transport: 'sdk', keyless: true })
  })

  function open(): Promise<Transport> {
    if (closing.signal.aborted) throw new CrmError('unsupported', 'This client has been closed.', { hint: 'Connect again.' })
    opening = openStore()
    return opening
  }

  /** Inputs and answers are copied through JSON: they are the same as over HTTP, and share no objects with the caller. */
  async function attempt(work: (transport: Transport) => Promise<unknown>, signal: AbortSignal | undefined, { timeoutMs, writes }: Attempt): Promise<unknown> {
    try {
      return JSON.parse(JSON.stringify(await withTimeout(timeoutMs, signal, async () => work(await open()))))
    } catch (error) {
      throw error instanceof TimeoutError ? noAnswer('The store', writes, error) : error
    }
  }

  return {
    call: (operation, input, options, details) => attempt((local) => local.call(operation, JSON.parse(toJson(input)), options), options.signal, details),
    batch: (batch, options, details) => attempt((local) => local.batch(JSON.parse(toJson(batch)), options), options.signal, details),

    async *follow({ after, signal }) {
      const local = await open()
      const either = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
      try {
        yield* local.follow?.({ after, signal: either }) ?? []
      } catch (error) {
        // Closing the client ends the loop without an error.
        if (signal?.aborted || !closing.signal.aborted) throw error
      }
    },

    async close() {
      closing.abort()
      const local = await opening?.catch(() => undefined)
      await local?.close?.()
    },
  }
}
