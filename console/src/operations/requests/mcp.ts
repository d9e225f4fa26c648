import type { Operation } from 'crm-connector/contract'
import type { ShownRequest } from './request.ts'

/** Whether MCP has it as a tool: administration and plans are left out. */
export const isTool = ({ tier, record }: Operation): boolean => tier !== 'admin' && tier !== 'operator' && record.name !== 'Plan'

/** The call as the message that is posted to `/mcp`. */
export function mcpOf({ operation, input, idempotencyKey, dryRun }: ShownRequest): string {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: operation.id, arguments: { ...input, ...(idempotencyKey && { IdempotencyKey: idempotencyKey }), ...(dryRun && { DryRun: true }) } },
  }
  return JSON.stringify(message, null, 2)
}
