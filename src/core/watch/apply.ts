import type { RecordType } from '../../contract/record.ts'
import type { ChangedRecord, RecordName, StoredRecord, UserIds } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { idOf } from '../call/records.ts'
import { changeTo, differences } from '../journal/changes.ts'
import { announce } from './announce.ts'
import { dropAttached } from './attached/bring.ts'
import { recordOf, rowOf, withOurUsers } from './mirrored.ts'
import { isSameVersion, NO_USERS, type Watched } from './watched.ts'

/** A record that the mirror was brought up to. */
export interface Brought {
  /** Set where the mirror did not have it. */
  readonly created?: StoredRecord
  /** What was attached to it, where it is gone. */
  readonly attached: readonly RecordName[]
}

/** Rows of one transaction: other writes wait for that long. */
const TOGETHER = 1000

/** Rows after which others have their turn to read. */
const TURN = 50

/**
 * Adds records to a mirror that is being filled, where it has no newer version of them. Nothing is announced. `reached` is written with the last of them, so that filling is
 * resumed where it was.
 */
export async function fill(
  { workspace, store }: Watched,
  type: RecordType,
  records: readonly StoredRecord[],
  reached: (writer: StoreWriter) => Promise<void> = async () => {},
): Promise<void> {
  for (let at = 0; at === 0 || at < records.length; at += TOGETHER) {
    const some = byId(type, records.slice(at, at + TOGETHER))
    await store.write(workspace.number, async (writer) => {
      const mirror = writer.inMirror()
      const known = byId(type, await mirror.getAll(type.name, [...some.keys()]))
      let count = 0
      for (const [id, record] of some) {
        const row = known.get(id)
        if (!row) await mirror.create(type.name, rowOf(type, record))
        else if ((row.UpdatedDate as string) < (record.UpdatedDate as string)) await mirror.update(type.name, id, rowOf(type, record))
        if (++count % TURN === 0) await writer.pause()
      }
      if (at + TOGETHER >= records.length) await reached(writer)
    })
  }
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
 * through the connector meanwhile is left to the next round. Resolves to those that had to be brought up.
 */
export async function apply(watched: Watched, type: RecordType, ids: readonly string[]): Promise<Brought[]> {
  if (ids.length === 0) return []
  const { workspace, platform, feed, records, store, mirror } = watched
  const before = byId(type, await mirror.getAll(type.name, ids))
  const now = byId(type, await records.getAll(type.name, ids))
  const changed = ids.filter((id) => !isSameVersion(platform, before.get(id), now.get(id)))
  if (changed.length === 0) return []
  const userIds = await watched.userIds()
  const users = await changedBy(
    watched,
    type,
    changed.filter((id) => now.has(id)),
  )
  return store.write(workspace.number, async (writer) => {
    const brought: Brought[] = []
    for (const id of changed) {
      const row = await writer.inMirror().get(type.name, id)
      if (row?.Revision !== before.get(id)?.Revision) continue
      const isLeftOut = feed.isLeftOut?.(type.name, id) ?? false
      if (isLeftOut && !row) continue
      brought.push(await bring(writer, type, id, row, now.get(id), userIds, users.get(id)))
      if (isLeftOut) await writer.inMirror().delete(type.name, id)
    }
    return brought
  })
}

/** The same for records that were found, where the mirror has other versions of them. */
export async function applyNew(watched: Watched, type: RecordType, found: readonly ChangedRecord[]): Promise<Brought[]> {
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

/** Writes rows again that have the version of their records but other values. Nothing is announced. Resolves to how many there were. */
export async function rewriteRows({ workspace, platform, store, mirror }: Watched, type: RecordType, records: readonly StoredRecord[]): Promise<number> {
  const rows = byId(type, await mirror.getAll(type.name, [...byId(type, records).keys()]))
  const isWrong = (row: StoredRecord | undefined, record: StoredRecord) =>
    row !== undefined && isSameVersion(platform, row, record) && !hasValuesOf(type, row, record)
  const wrong = records.filter((record) => isWrong(rows.get(idOf(type, record)), record))
  if (wrong.length === 0) return 0
  return store.write(workspace.number, async (writer) => {
    let count = 0
    for (const record of wrong) {
      const id = idOf(type, record)
      if (!isWrong(await writer.inMirror().get(type.name, id), record)) continue
      await writer.inMirror().update(type.name, id, rowOf(type, record))
      count++
    }
    return count
  })
}

/** Whether a row has the values of a record. Those that a platform moves by itself are not compared. */
function hasValuesOf(type: RecordType, row: StoredRecord, record: StoredRecord): boolean {
  return Object.keys(differences(type, recordOf(type, row, NO_USERS), recordOf(type, rowOf(type, record), NO_USERS))).length === 0
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
): Promise<Brought> {
  const user = by && userIds.fromPlatform(by)
  const mirror = writer.inMirror()
  const was = row ? recordOf(type, row, userIds) : null
  const is = record ? withOurUsers(record, userIds) : null
  if (!record) {
    const attached = await dropAttached(writer, type, id, userIds)
    await mirror.delete(type.name, id)
    await announce(writer, changeTo(type, 'deleted', was, null), user)
    return { attached }
  }
  if (!row) {
    await mirror.create(type.name, rowOf(type, record))
    await announce(writer, changeTo(type, 'created', null, is), user)
    return { created: record, attached: [] }
  }
  await mirror.update(type.name, id, rowOf(type, record))
  if (Object.keys(differences(type, was, is)).length > 0) await announce(writer, changeTo(type, 'updated', was, is), user)
  return { attached: [] }
}

/** The users of the CRM who have changed records, as far as it tells: an account may not let us ask. */
async function changedBy({ feed, platform }: Watched, type: RecordType, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0 || !feed.changedBy) return new Map()
  return feed.changedBy(type.name, ids).catch((error: unknown) => {
    if (platform.classify(error)?.code === 'forbidden') return new Map()
    throw error
  })
}

export const byId = (type: RecordType, records: readonly StoredRecord[]) => new Map(records.map((record) => [idOf(type, record), record]))
