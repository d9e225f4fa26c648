import { LIMITS } from '../../../contract/limits.ts'
import type { StoredRecord } from '../../platform.ts'

/** The bytes of the long texts in a record, which are what makes a page large. */
export function longBytes(record: StoredRecord): number {
  let bytes = 0
  for (const value of Object.values(record)) bytes += bytesOf(value)
  return bytes
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length > LIMITS.text ? Buffer.byteLength(value) : 0
  return typeof value === 'object' && value !== null ? longBytes(value as StoredRecord) : 0
}
