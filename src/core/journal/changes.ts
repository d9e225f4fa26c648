import type { Operation } from '../../contract/operation.ts'
import type { RecordType } from '../../contract/record.ts'
import { SHARED } from '../../contract/records/change.ts'
import { type EventName, eventTypeOf } from '../../contract/records/event.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { AuditLine } from '../../platforms/store.ts'
import { idOf, shown } from '../call/records.ts'
import type { Call } from '../service.ts'

/** What a write has done to a record, or to a note, comment or membership of it. */
export interface RecordChange {
  readonly record: RecordType
  readonly id: string
  readonly eventName: EventName
  readonly before: StoredRecord | null
  readonly after: StoredRecord | null
  /** The owner after the change; empty where the whole workspace shares the record. */
  readonly owner: string
  /** Whether the change gave it to another owner. */
  readonly moved: boolean
  /** The record itself, where the images are of a note, comment or membership of it. */
  readonly on?: StoredRecord
  /** Set where the owner is mapped from a user of a CRM. */
  readonly mapped?: true
  /** Set where it was announced already, as a change in the CRM itself. */
  readonly announced?: true
  /** The change that this one undoes. */
  readonly undoes?: string
}

/** A change to a record itself; null where it did not exist before or after. Secret fields are left out. */
export function changeTo(record: RecordType, eventName: EventName, before: StoredRecord | null, after: StoredRecord | null): RecordChange {
  const image = (after ?? before) as StoredRecord
  return {
    record,
    id: idOf(record, image),
    eventName,
    before: before && shown(record, before),
    after: after && shown(record, after),
    owner: ownerOf(record, image),
    moved: before !== null && after !== null && ownerOf(record, before) !== ownerOf(record, after),
  }
}

/** A note, comment or membership that was added to a record, or removed. */
export function changeOn(record: RecordType, on: StoredRecord, eventName: EventName, before: StoredRecord | null, after: StoredRecord | null): RecordChange {
  return { record, id: idOf(record, on), eventName, before, after, owner: ownerOf(record, on), moved: false, on }
}

/** Who made a change, and by which call. */
export interface By {
  readonly userId: string
  readonly keyId: string | null
  readonly transport: string
  readonly operation: string
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly groupId?: string | null
  readonly batchId?: string | null
}

export function byOf(
  call: Call,
  operation: Pick<Operation, 'id'>,
  idempotencyKey: string | null,
  of: { readonly groupId?: string | null; readonly batchId?: string | undefined } = {},
): By {
  const { caller, transport = 'sdk', requestId } = call
  const { groupId = null, batchId } = of
  return {
    userId: caller.userId,
    keyId: caller.keyId,
    transport,
    operation: operation.id,
    requestId: requestId ?? null,
    idempotencyKey,
    groupId,
    batchId: call.batchId ?? batchId ?? null,
  }
}

/** The audit line of a change. `after` is its image as JSON, where it has been serialised already. */
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
    eventType: change.announced ? null : eventTypeOf(change.record, change.eventName),
    idempotencyKey: by.idempotencyKey,
    groupId: by.groupId ?? null,
    batchId: by.batchId ?? null,
    undoes: change.undoes ?? null,
    owner: change.owner,
    moved: change.moved,
    mapped: change.mapped,
  }
}

/** A change whose owner is mapped from a user of a CRM. */
export const mapped = (change: RecordChange): RecordChange => (change.owner === SHARED ? change : { ...change, mapped: true })

function ownerOf(record: RecordType, of: StoredRecord): string {
  return record.belongs === null ? SHARED : (of[record.belongs] as string)
}

/**
 * The fields that differ between two images, those that every change sets left out, and those that the platform derives by itself. User-defined values count by their own names.
 */
export function differences(record: RecordType, before: StoredRecord | null, after: StoredRecord | null): { [field: string]: { From: unknown; To: unknown } } {
  const [was, is] = [flat(record, before), flat(record, after)]
  const changed: { [field: string]: { From: unknown; To: unknown } } = Object.create(null)
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (name === record.id || name === record.createdField || ALWAYS.has(name) || isDerived(record, name)) continue
    const [From, To] = [was[name] ?? null, is[name] ?? null]
    if (JSON.stringify(From) !== JSON.stringify(To)) changed[name] = { From, To }
  }
  return changed
}

/** The values that a change is announced with, as they were before it. No value and an empty text are the same. */
export function valuesBefore(record: RecordType, before: StoredRecord | null, after: StoredRecord | null): { [field: string]: unknown } {
  const changed = Object.entries(differences(record, before, after)).filter(([, { From, To }]) => !(isEmpty(From) && isEmpty(To)))
  return Object.fromEntries(changed.map(([name, { From }]) => [name, From]))
}

const isEmpty = (value: unknown): boolean => value === null || value === ''

/** Whether a field is the platform's own, which no call can set: it follows from others, or changes by itself. */
export const isDerived = ({ fields }: RecordType, name: string): boolean => fields[name]?.extra === true && fields[name].access === 'read'

const ALWAYS: ReadonlySet<string> = new Set(['UpdatedDate', 'Revision'])

function flat(record: RecordType, image: StoredRecord | null): { [field: string]: unknown } {
  if (!image || !record.userDefined || typeof image[record.userDefined] !== 'object') return image ?? {}
  const { [record.userDefined]: values, ...own } = image
  return Object.assign(Object.create(null), own, values)
}
