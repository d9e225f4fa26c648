import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { Change } from '../../contract/records/change.ts'
import { attachedIn, eventTypeOf } from '../../contract/records/event.ts'
import type { Platform, StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { typeOn } from '../call/extension.ts'
import type { Written } from '../call/types.ts'
import { differences, type RecordChange } from '../journal/changes.ts'
import { bring } from './apply.ts'
import { dropAttached } from './attached/bring.ts'
import { mirrorAttached } from './attached/own-writes.ts'
import { isMirrored, rowOf, withTheirUsers } from './mirrored.ts'
import type { Followed } from './positions.ts'
import { isSameVersion } from './watched.ts'

/**
 * Brings the mirror up to what was just written through the connector, in the transaction of its audit line, so that the watch does not announce it again. Where the watch has
 * found it first, it is announced already.
 */
export async function mirrorWritten(writer: StoreWriter, platform: Platform, followed: Followed, written: Written): Promise<Written> {
  const { change, also } = written
  const mirrored = (one: RecordChange) => mirrorChange(writer, platform, followed, one)
  return {
    ...written,
    ...(also && { also: await inOrder(also, mirrored) }),
    ...(change && { change: await mirrored(change) }),
  }
}

async function mirrorChange(writer: StoreWriter, platform: Platform, followed: Followed, change: RecordChange): Promise<RecordChange> {
  const { types, userIds } = followed
  const { id, before, after, eventName } = change
  if (!isMirrored(change.record) || eventName === 'erased') return change
  const attached = attachedIn(eventName)
  if (attached !== undefined) return mirrorAttached(writer, platform, followed, recordType(attached), change)
  const type = typeOn(platform, change.record)
  const { name } = type
  const mirror = writer.inMirror()
  const row = await mirror.get(name, id)
  if (types[name]?.isComplete) {
    if (await isFound(writer, platform, type, row, change)) {
      // What is read next is what the call is answered with, Revision included.
      if (row && after && !isLater(row, after)) await mirror.update(name, id, rowOf(type, withTheirUsers(after, userIds)))
      return { ...change, announced: true }
    }
    // What others have done to it before is announced before, so that no record is changed that was not created, and no change of theirs is lost.
    if (before && !isLater(row, before) && !isSameVersion(platform, row, before)) await bring(writer, type, id, row, withTheirUsers(before, userIds), userIds)
  }
  const now = after && !platform.feed?.isLeftOut?.(name, id) ? rowOf(type, withTheirUsers(after, userIds)) : undefined
  if (!after) await dropAttached(writer, type, id)
  if (!now) await mirror.delete(name, id)
  else if (await mirror.get(name, id)) await mirror.update(name, id, now)
  else await mirror.create(name, now)
  return change
}

/** Whether the watch has found a write, and announced it. */
async function isFound(writer: StoreWriter, platform: Platform, type: RecordType, row: StoredRecord | undefined, change: RecordChange): Promise<boolean> {
  const { id, before, after } = change
  if (!after) return !row && (await lastEvent(writer, id))?.EventType === eventTypeOf(type, 'deleted')
  if (before && !row && platform.feed?.isLeftOut?.(type.name, id))
    return isSameVersion(platform, (await lastEvent(writer, id))?.After as StoredRecord | undefined, after)
  if (!before) return row !== undefined
  // The mirror has what the call has found: nothing came in between, whatever the account's clock says.
  if (isSameVersion(platform, row, before) && !isSameVersion(platform, before, after)) return false
  return isLater(row, after) || (isSameVersion(platform, row, after) && Object.keys(differences(type, before, after)).length > 0)
}

async function lastEvent(writer: StoreWriter, id: string): Promise<StoredRecord | undefined> {
  const { records } = await writer.find(Change.name, {
    where: [
      { field: 'RecordID', family: 'text', operator: 'eq', value: id },
      { field: 'EventType', family: 'text', operator: 'ne', value: null },
    ],
    order: { field: Change.createdField, descending: true },
    limit: 1,
  })
  return records[0]
}

const isLater = (row: StoredRecord | undefined, record: StoredRecord) => row !== undefined && String(row.UpdatedDate) > String(record.UpdatedDate)

async function inOrder<T>(list: readonly T[], each: (one: T) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (const one of list) done.push(await each(one))
  return done
}
