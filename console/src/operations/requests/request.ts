import type { Operation } from 'crm-connector/contract'
import type { Json } from '../form/json.ts'

/** A call, as it is shown in other languages. The key is never part of it. */
export interface ShownRequest {
  readonly operation: Operation
  readonly input: Json
  readonly baseUrl: string
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** JSON as a person writes it: short in one line, long in several. */
export function jsonText(value: unknown, width = 72): string {
  const line = JSON.stringify(value)
  return line.length <= width ? line : JSON.stringify(value, null, 2)
}
