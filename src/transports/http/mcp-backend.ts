import type { CrmError } from '../../contract/errors.ts'
import { execute } from '../../core/execute.ts'
import type { Caller, Service } from '../../core/service.ts'
import type { Backend } from '../mcp/backend.ts'

/** Hears of every operation that was called, and how it ended. */
export type Told = (operation: string, started: number, fault: unknown) => void

/** The calls of one request, straight to the core; all of them refused where there is a refusal. */
export function mcpBackend(service: Service, caller: Caller, requestId: string, told: Told, refusal?: CrmError): Backend {
  return {
    requestId,
    access: () => caller,
    async call(operation, input, { idempotencyKey, dryRun = false, confirm = false, confirmation, onOutcome } = {}) {
      const started = performance.now()
      let fault: unknown
      try {
        if (refusal) throw refusal
        const call = { operation, input, caller, transport: 'mcp', requestId, idempotencyKey, dryRun, confirm, confirmation }
        const { result, changeId, replayed } = await execute(service, call)
        onOutcome?.({ changeId, replayed })
        return result
      } catch (error) {
        fault = error
        throw error
      } finally {
        told(operation, started, fault)
      }
    },
  }
}
