import type { RecordType } from '../../contract/record.ts'
import { type EventName, IN_CRM } from '../../contract/records/event.ts'
import { NOBODY } from '../../contract/records/user.ts'
import type { ChangedRecord, StoredRecord, UserIds } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { idOf } from '../call/records.ts'
import { changeTo, differences, lineOf } from '../journal/changes.ts'
import { recordOf, rowOf, withOurUsers } from './mirrored.ts'
import { isSameVersion, type Watched } from './watched.ts'

/** Adds records to a mirror that is being filled, where it has no newer version of them. Nothing is announced. */
export async function fill({ workspace, store }: Watched, type: RecordType, records: readonly StoredRecord[]): Promise<void> {
  await store.write(workspace.number, async (writer) => {
    const mirror = writer.inMirror()
    for (const record of records) {
      const row = await mirror.get(type.name, idOf(type, record))
      if (!row) await mirror.create(type.name, rowOf(type, record))
      else if ((row.UpdatedDate as string) < (record.UpdatedDate as string)) await mirror.update(type.name, idOf(type, record), rowOf(type, record))
    }
  })
}

/** Takes records out of a mirror that is being filled which were deleted meanwhile. Nothing is announced. */
export async function dropDeleted({ workspace, store, records }: Watched, type: RecordType, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const present = byId(type, await records.getAll(type.name, ids))
  await store.write(workspace.number, async (writer) => {
    for (const id of ids) if (!present.has(id)) await writer.inMirror().delete(type.name, id)
  })
}

/**
 * Brings the mirror up to what these records are now, and announces what has changed, in one transaction. They are read anew, since searches lag behind. What was written
 * through the connector meanwhile is left to the next round. Resolves to the number of those that had to be brought up.
 */
export async function apply(watched: Watched, type: RecordType, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const { workspace, platform, feed, records, store, mirror } = watched
  const before = byId(type, await mirror.getAll(type.name, ids))
  const now = byId(type, await records.getAll(type.name, ids))
  const changed = ids.filter((id) => !isSameVersion(platform, before.get(id), now.get(id)))
  if (changed.length === 0) return 0
  const userIds = await watched.userIds()
  const users = await changedBy(
    watched,
    type,
    changed.filter((id) => now.has(id)),
  )
  return store.write(workspace.number, async (writer) => {
    let count = 0
    for (const id of changed) {
      const row = await writer.inMirror().get(type.name, id)
      if (row?.Revision !== before.get(id)?.Revision) continue
      const isLeftOut = feed.isLeftOut?.(type.name, id) ?? false
      if (isLeftOut && !row) continue
      await bring(writer, type, id, row, now.get(id), userIds, users.get(id))
      if (isLeftOut) await writer.inMirror().delete(type.name, id)
      count++
    }
    return count
  })
}

/** The same for records that were found, where the mirror has other versions of them. */
export async function applyNew(watched: Watched, type: RecordType, found: readonly ChangedRecord[]): Promise<number> {
  const known = byId(
    type,
    await watched.mirror.getAll(
      type.name,
      found.map(({ id }) => id),
    ),
  )
  const changed = found.filter((one) => !isSameVersion(watched.platform, known.get(one.id), one))
  return apply(
    watched,
    type,
    changed.map(({ id }) => id),
  )
}

/** Brings the mirror from a row to what the record is, and announces what others have done in between. */
export async function bring(
  writer: StoreWriter,
  type: RecordType,
  id: string,
  row: StoredRecord | undefined,
  record: StoredRecord | undefined,
  userIds: UserIds,
  by?: string,
): Promise<void> {
  const announce = (eventName: EventName, before: StoredRecord | null, after: StoredRecord | null) =>
    writer.appendAuditLine(lineOf(changeTo(type, eventName, before, after), { ...BY_OTHERS, userId: (by && userIds.fromPlatform(by)) ?? NOBODY }))
  const mirror = writer.inMirror()
  const was = row ? recordOf(type, row, userIds) : null
  const is = record ? withOurUsers(record, userIds) : null
  if (!record) {
    await mirror.delete(type.name, id)
    await announce('deleted', was, null)
  } else if (!row) {
    await mirror.create(type.name, rowOf(type, record))
    await announce('created', null, is)
  } else {
    await mirror.update(type.name, id, rowOf(type, record))
    if (Object.keys(differences(type, was, is)).length > 0) await announce('updated', was, is)
  }
}

/** The users of the CRM who have changed records, as far as it tells: an account may not let us ask. */
async function changedBy({ feed, platform }: Watched, type: RecordType, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0 || !feed.changedBy) return new Map()
  return feed.changedBy(type.name, ids).catch((error: unknown) => {
    if (platform.classify(error)?.code === 'forbidden') return new Map()
    throw error
  })
}

const BY_OTHERS = { keyId: null, transport: IN_CRM, operation: 'watch', requestId: null, idempotencyKey: null } as const

export const byId = (type: RecordType, records: readonly StoredRecord[]) => new Map(records.map((record) => [idOf(type, record), record]))
