import type { CrmError } from '../../contract/errors.ts'
import { operationNamed } from '../../contract/operations.ts'
import { readPlatform } from '../../core/call/acquire-binding.ts'
import { inProcessTransport } from '../../core/call/in-process.ts'
import type { Caller, Service } from '../../core/service.ts'
import type { Backend } from './backend.ts'

/** Called after each operation, with the error that it ended with. */
export type OnCall = (operation: string, started: number, thrown: unknown) => void

/** Executes the calls of one HTTP request in this process; with a `refusal`, refuses all of them. */
export function coreBackend(service: Service, caller: Caller, requestId: string, onCall: OnCall, refusal?: CrmError): Backend {
  const transport = inProcessTransport(service, () => caller, 'mcp', requestId)
  return {
    requestId,
    access: async () => caller,
    platform: () => readPlatform(service, caller.workspace),
    // A write that has arrived is executed even if the client disconnects.
    async call(operation, input, { signal, ...rest } = {}) {
      const options = { ...rest, ...(signal && operationNamed(operation)?.effect === 'read' && { signal }) }
      const started = performance.now()
      let thrown: unknown
      try {
        if (refusal) throw refusal
        return await transport.call(operation, input, options)
      } catch (error) {
        thrown = error
        throw error
      } finally {
        onCall(operation, started, thrown)
      }
    },
  }
}
