import { CrmError } from '../../contract/errors.ts'
import type { Operation, Tier } from '../../contract/operation.ts'
import type { RecordType } from '../../contract/record.ts'
import type { EventName } from '../../contract/records/event.ts'
import type { Platform, StoredRecord, Writer } from '../../platforms/platform.ts'
import type { Context } from '../call/types.ts'
import type { RecordChange } from '../journal/changes.ts'

/** A change and the record it was made to. */
export interface Undoing {
  readonly context: Context
  /** Where the record lives. */
  readonly platform: Platform
  readonly type: RecordType
  readonly id: string
  readonly before: StoredRecord
  readonly after: StoredRecord
  /** Whether the change restored a deleted record under its id, rather than created a new one. */
  readonly restored: boolean
}

export interface Undo {
  /** The operation with the same effect, which the caller's key must allow. */
  readonly operation?: (type: RecordType) => Operation | undefined
  /** What the key must allow for the record type where no operation has the same effect. */
  readonly tier: Tier
  /** Whether a deleted record is restored under its id. */
  readonly restores?: boolean
  /** Applies the opposite change. It refuses before it writes anything: others of the same transaction may go on. */
  apply(writer: Writer, undoing: Undoing): Promise<RecordChange>
}

/** How each kind of change is undone; a kind that is not listed is not. */
export type Undos = { readonly [E in EventName]?: Undo }

export function changedSince(how: string): CrmError {
  return new CrmError('conflict', `The record has changed since: ${how}`, { hint: 'Undo the later changes first, newest first, or make a new change.' })
}
