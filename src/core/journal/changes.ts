import type { Operation } from '../../contract/operation.ts'
import type { RecordType } from '../../contract/record.ts'
import { SHARED } from '../../contract/records/change.ts'
import { eventTypeOf, type Happening } from '../../contract/records/event.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { AuditLine } from '../../platforms/store.ts'
import { shown } from '../call/records.ts'
import type { Call } from '../service.ts'

/** What a write has done to a record, or to what hangs on it. */
export interface RecordChange {
  readonly record: RecordType
  readonly id: string
  readonly happening: Happening
  readonly before: StoredRecord | null
  readonly after: StoredRecord | null
  /** Whose record it is now: empty where it is everyone's. */
  readonly owner: string
  /** Whether it has just come to this owner. */
  readonly moved: boolean
}

/** The same record before and after; null where there was or is none. Secrets are in neither. */
export function happened(record: RecordType, happening: Happening, before: StoredRecord | null, after: StoredRecord | null): RecordChange {
  const known = (after ?? before) as StoredRecord
  return {
    record,
    id: known[record.id] as string,
    happening,
    before: before && shown(record, before),
    after: after && shown(record, after),
    owner: ownerOf(record, known),
    moved: before !== null && after !== null && ownerOf(record, before) !== ownerOf(record, after),
  }
}

/** What was hung on a record, or taken off it. */
export function happenedOn(record: RecordType, on: StoredRecord, happening: Happening, before: StoredRecord | null, after: StoredRecord | null): RecordChange {
  return { record, id: on[record.id] as string, happening, before, after, owner: ownerOf(record, on), moved: false }
}

/** How a change came about. */
export interface By {
  readonly userId: string
  readonly keyId: string | null
  readonly transport: string
  readonly operation: string
  readonly requestId: string | null
  readonly idempotencyKey: string | null
}

export function byOf({ caller, transport = 'sdk', requestId }: Call, operation: Operation, idempotencyKey: string | null): By {
  return { userId: caller.userId, keyId: caller.keyId, transport, operation: operation.id, requestId: requestId ?? null, idempotencyKey }
}

/** The line of the audit that a change leaves. `after` is its image as JSON, where it has been written out already. */
export function lineOf(change: RecordChange, by: By, after = change.after && JSON.stringify(change.after)): AuditLine {
  return {
    userId: by.userId,
    keyId: by.keyId,
    transport: by.transport,
    operation: by.operation,
    recordType: change.record.name,
    recordId: change.id,
    before: change.before && JSON.stringify(change.before),
    after,
    requestId: by.requestId,
    outcome: 'ok',
    eventType: eventTypeOf(change.record, change.happening),
    idempotencyKey: by.idempotencyKey,
    owner: change.owner,
    moved: change.moved,
  }
}

function ownerOf(record: RecordType, of: StoredRecord): string {
  return record.belongs === null ? SHARED : (of[record.belongs] as string)
}

/** The fields that differ between two images, those that every change sets left out. User-defined values count by their own names. */
export function differences(record: RecordType, before: StoredRecord | null, after: StoredRecord | null): { [field: string]: { From: unknown; To: unknown } } {
  const [was, is] = [flat(record, before), flat(record, after)]
  const changed: { [field: string]: { From: unknown; To: unknown } } = Object.create(null)
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (name === record.id || name === record.createdField || ALWAYS.has(name)) continue
    const [From, To] = [was[name] ?? null, is[name] ?? null]
    if (JSON.stringify(From) !== JSON.stringify(To)) changed[name] = { From, To }
  }
  return changed
}

const ALWAYS: ReadonlySet<string> = new Set(['UpdatedDate', 'Revision'])

function flat(record: RecordType, image: StoredRecord | null): { [field: string]: unknown } {
  if (!image || !record.userDefined || typeof image[record.userDefined] !== 'object') return image ?? {}
  const { [record.userDefined]: values, ...own } = image
  return Object.assign(Object.create(null), own, values)
}
