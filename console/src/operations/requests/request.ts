import type { Operation } from 'crm-connector/contract'
import type { Json } from '../form/json.ts'

/** A call to show in other languages, without the key. */
export interface ShownRequest {
  readonly operation: Operation
  readonly input: Json
  readonly baseUrl: string
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** JSON in one line if it is short. */
export function jsonText(value: unknown, width = 72): string {
  const line = JSON.stringify(value)
  return line.length <= width ? line : JSON.stringify(value, null, 2)
}
