import { LIMITS } from '../../../contract/limits.ts'
import type { Operation } from '../../../contract/operation.ts'
import { operationNamed } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { streams } from '../../../core/call/stream.ts'

/** About how many bytes a value has at most. */
const BYTES: { readonly [kind: string]: number } = {
  longText: LIMITS.longText,
  json: LIMITS.longText,
  text: LIMITS.text,
  email: LIMITS.text,
  choice: LIMITS.text,
}
const SHORT = 40

const sizes = new WeakMap<RecordType, number>()

/** About how many bytes a record of a type has at most. */
function recordBytes(record: RecordType): number {
  let size = sizes.get(record)
  if (size === undefined) {
    size = Object.values(record.fields).reduce((sum, { kind }) => sum + (BYTES[kind] ?? SHORT), 0)
    sizes.set(record, size)
  }
  return size
}

/** About how many bytes a page has at most. */
export function pageBytes({ record }: Operation, limit: unknown): number {
  const records = typeof limit === 'number' && limit > 0 ? Math.min(limit, LIMITS.page) : LIMITS.page
  return Math.min(LIMITS.pageBytes, records * recordBytes(record))
}

/** About how many bytes the reads of a batch answer with at most. */
export function batchAnswerBytes(calls: readonly unknown[]): number {
  let bytes = 0
  for (const call of calls) {
    const { Operation: name, Input } = Object(call) as { readonly Operation?: unknown; readonly Input?: unknown }
    const operation = typeof name === 'string' ? operationNamed(name) : undefined
    if (operation?.effect !== 'read') continue
    bytes += streams(operation) ? pageBytes(operation, limitIn(Input)) : recordBytes(operation.record)
    if (bytes > LIMITS.batchBytes) return LIMITS.batchBytes
  }
  return bytes
}

/** The Limit in an input, or that of a page without one. */
export const limitIn = (input: unknown) => (Object(input) as { readonly Limit?: unknown }).Limit ?? LIMITS.defaultPage
