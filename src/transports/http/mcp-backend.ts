import type { CrmError } from '../../contract/errors.ts'
import { inProcessTransport } from '../../core/call/in-process.ts'
import { type Caller, platformOf, type Service } from '../../core/service.ts'
import type { Backend } from '../mcp/backend.ts'

/** Hears of every operation that was called, and how it ended. */
export type Told = (operation: string, started: number, fault: unknown) => void

/** The calls of one request, straight to the core; all of them refused where there is a refusal. */
export function mcpBackend(service: Service, caller: Caller, requestId: string, told: Told, refusal?: CrmError): Backend {
  const carrier = inProcessTransport(service, () => caller, 'mcp', requestId)
  return {
    requestId,
    access: () => caller,
    platform: () => platformOf(service, caller.workspace),
    // What has arrived is carried out, though whoever asked may have gone.
    async call(operation, input, { signal: _signal, ...options } = {}) {
      const started = performance.now()
      let fault: unknown
      try {
        if (refusal) throw refusal
        return await carrier.call(operation, input, options)
      } catch (error) {
        fault = error
        throw error
      } finally {
        told(operation, started, fault)
      }
    },
  }
}
