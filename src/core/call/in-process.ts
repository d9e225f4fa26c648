import { setMaxListeners } from 'node:events'
import type { CallOptions, Transport } from '../../contract/client/transport.ts'
import { executeBatch } from '../batch/batch.ts'
import { followEvents } from '../journal/follow.ts'
import type { Call, Caller, HangUp, Service } from '../service.ts'
import { execute } from './execute.ts'

/** The transport for clients in the same process: calls the core directly. */
export function inProcessTransport(service: Service, caller: () => Caller | Promise<Caller>, transport = 'sdk', requestId?: string): Transport {
  async function callOf(
    operation: string,
    input: unknown,
    { signal, idempotencyKey, dryRun = false, confirm = false, confirmation, onProgress }: CallOptions = {},
  ): Promise<Call> {
    signal?.throwIfAborted()
    service.store.refresh?.()
    const hangUp = signal && hangUpOf(signal)
    return {
      operation,
      input,
      caller: await caller(),
      transport,
      ...(requestId !== undefined && { requestId }),
      idempotencyKey,
      dryRun,
      confirm,
      confirmation,
      hangUp,
      onProgress,
    }
  }
  return {
    async call(operation, input, options) {
      const { result, changeId, replayed } = await execute(service, await callOf(operation, input, options))
      options?.onOutcome?.({ changeId, replayed })
      return result
    },
    async batch(batch, options) {
      const { Results, BatchID } = await executeBatch(service, await callOf('batch', batch, options))
      return { Results, ...(BatchID !== undefined && { BatchID }) }
    },
    follow: (options) => followEvents(service, caller, transport, options),
  }
}

/** The caller's own signal: once it aborts, the answer is not awaited. */
function hangUpOf(signal: AbortSignal): HangUp {
  // All calls of a batch that run at the same time watch it.
  setMaxListeners(0, signal)
  return {
    get happened() {
      return signal.aborted
    },
    signal,
  }
}
