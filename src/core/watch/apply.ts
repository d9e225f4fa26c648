import type { RecordType } from '../../contract/record.ts'
import type { ChangedRecord, RecordName, StoredRecord, UserIds } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { isLocked } from '../call/record-locks.ts'
import { idOf } from '../call/records.ts'
import { writesEnded } from '../call/writes-under-way.ts'
import { changeTo, differences, isDerived, valuesBefore } from '../journal/changes.ts'
import { announce } from './announce.ts'
import { dropAttached } from './attached/bring.ts'
import { erasedSince, NO_ERASURES, readErasures } from './erasures.ts'
import { recordOf, rowOf, withOurUsers } from './mirrored.ts'
import { slices } from './slices.ts'
import { takenOf } from './taken.ts'
import { isListedLate, isSameVersion, NO_USERS, type Watched } from './watched.ts'

/** A record that the mirror was brought up to. */
export interface Brought {
  /** Set where the mirror did not have it. */
  readonly created?: StoredRecord
  /** What was attached to it, where it is gone. */
  readonly attached: readonly RecordName[]
}

/** Rows of one transaction of a backfill: other writes wait for that long. */
const TOGETHER = 1000

/** Rows after which others have their turn to read. */
const TURN = 50

/**
 * Adds records to a mirror that is being backfilled, where it has no newer version of them. Nothing is announced. `reached` is written with the last of them, so that backfilling is
 * resumed where it was.
 */
export async function backfill(
  watched: Watched,
  type: RecordType,
  records: readonly StoredRecord[],
  reached: (writer: StoreWriter) => Promise<void> = async () => {},
): Promise<void> {
  const { workspace, feed, store } = watched
  for (let at = 0; at === 0 || at < records.length; at += TOGETHER) {
    const some = byId(type, records.slice(at, at + TOGETHER))
    const last = [...some.keys()].at(-1)
    const write = (ids: readonly string[]) =>
      store.write(workspace.number, async (writer) => {
        const mirror = writer.inMirror()
        // What was read may be older than an erasure.
        const isErased = await erasedSince(writer, NO_ERASURES)
        const known = byId(type, await mirror.getAll(type.name, ids))
        let count = 0
        for (const id of ids) {
          if (isErased(type.name, id) || feed.isLeftOut?.(type.name, id)) continue
          const [row, record] = [known.get(id), some.get(id) as StoredRecord]
          if (!row) await mirror.create(type.name, rowOf(type, record))
          else if ((row.UpdatedDate as string) < (record.UpdatedDate as string)) await mirror.update(type.name, id, rowOf(type, record))
          if (++count % TURN === 0) await writer.pause()
        }
        if (at + TOGETHER >= records.length && ids.at(-1) === last) await reached(writer)
        return []
      })
    await takenOf(watched, type, [...some.keys()], write)
  }
}

/** Takes records out of a mirror that is being backfilled which were deleted meanwhile. Nothing is announced. */
export async function dropDeleted({ workspace, store, records }: Watched, type: RecordType, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const present = byId(type, await records.getAll(type.name, ids))
  await store.write(workspace.number, async (writer) => {
    for (const id of ids) {
      if (present.has(id)) continue
      await dropAttached(writer, type, id)
      await writer.inMirror().delete(type.name, id)
    }
  })
}

/**
 * Brings the mirror up to what these records are now, and announces what has changed, in their order. They are read anew, since searches lag behind. What was written
 * through the connector meanwhile is left to the next poll. Resolves to those that had to be brought up.
 */
export async function apply(watched: Watched, type: RecordType, ids: readonly string[]): Promise<Brought[]> {
  const brought: Brought[] = []
  for (const some of slices(ids)) brought.push(...(await applySome(watched, type, some)))
  return brought
}

/** The same in one transaction. */
async function applySome(watched: Watched, type: RecordType, ids: readonly string[]): Promise<readonly Brought[]> {
  const { service, workspace, platform, feed, store, mirror } = watched
  const erasures = await readErasures(service.store.journal(workspace.number))
  const before = byId(type, await mirror.getAll(type.name, ids))
  const now = await readAnew(watched, type, ids, before)
  const isLeftOut = (id: string) => feed.isLeftOut?.(type.name, id) ?? false
  const changed = ids.filter((id) => !isSameVersion(platform, before.get(id), now.get(id)) || (before.has(id) && isLeftOut(id)))
  if (changed.length === 0) return []
  // A call of ours that has created it announces it itself, and what belongs together in its order.
  if (changed.some((id) => !before.has(id))) await writesEnded(service.store, workspace.number)
  const userIds = await watched.userIds()
  const users = await changedBy(
    watched,
    type,
    changed.filter((id) => now.has(id)),
  )
  const write = (some: readonly string[]) =>
    store.write(workspace.number, async (writer) => {
      const brought: Brought[] = []
      const isErased = await erasedSince(writer, erasures)
      for (const id of some) {
        // A call that has written it in the CRM is about to record that, and announces it itself.
        if (isErased(type.name, id) || isLocked(service.store, workspace.number, `${type.name} ${id}`)) continue
        const row = await writer.inMirror().get(type.name, id)
        if (row?.Revision !== before.get(id)?.Revision) continue
        if (isLeftOut(id) && !row) continue
        brought.push(await bring(writer, type, id, row, now.get(id), userIds, users.get(id)))
        if (isLeftOut(id)) await writer.inMirror().delete(type.name, id)
        if (brought.length % TURN === 0) await writer.pause()
      }
      return brought
    })
  return takenOf(watched, type, changed, write)
}

/** Records as they are. Those of which a list of several knows less than the mirror, or nothing any more, are read by themselves where that may be a matter of time. */
async function readAnew({ feed, records }: Watched, type: RecordType, ids: readonly string[], before: ReadonlyMap<string, StoredRecord>) {
  const now = byId(type, await records.getAll(type.name, ids))
  if (ids.length === 1) return now
  for (const [id, row] of before) {
    const known = now.get(id)
    if ((known && String(known.UpdatedDate) >= String(row.UpdatedDate)) || !isListedLate(feed, row, 'UpdatedDate')) continue
    const [alone] = await records.getAll(type.name, [id])
    if (alone) now.set(id, alone)
    else now.delete(id)
  }
  return now
}

/** The same for records that were found, where the mirror has other versions of them. What the platform derives by itself, which no version tells of, is brought up silently. */
export async function applyNew(watched: Watched, type: RecordType, found: readonly ChangedRecord[]): Promise<Brought[]> {
  const known = byId(
    type,
    await watched.mirror.getAll(
      type.name,
      found.map(({ id }) => id),
    ),
  )
  const changed = found.filter((one) => !isSameVersion(watched.platform, known.get(one.id), one))
  const derived = Object.keys(type.fields).filter((name) => isDerived(type, name))
  const isStale = (row: StoredRecord, record: StoredRecord) => isSameVersion(watched.platform, row, record) && hasOlder(type, derived, row, record)
  const stale = found.flatMap(({ id, record }) => {
    const row = known.get(id)
    return row && isStale(row, record) ? [record] : []
  })
  await rewriteRows(watched, type, stale, isStale)
  return apply(
    watched,
    type,
    changed.map(({ id }) => id),
  )
}

/** Whether a row has other values of some fields than a record that is no older. */
function hasOlder(type: RecordType, names: readonly string[], row: StoredRecord, record: StoredRecord): boolean {
  if (names.length === 0 || String(row.UpdatedDate) > String(record.UpdatedDate)) return false
  const now = rowOf(type, record)
  return names.some((name) => JSON.stringify(row[name] ?? null) !== JSON.stringify(now[name] ?? null))
}

/** Writes rows again that are wrong in a way that no change of their records explains. Nothing is announced. Resolves to how many there were. */
export async function rewriteRows(
  { workspace, store, mirror }: Watched,
  type: RecordType,
  records: readonly StoredRecord[],
  isWrongRow: (row: StoredRecord, record: StoredRecord) => boolean,
): Promise<number> {
  if (records.length === 0) return 0
  const rows = byId(type, await mirror.getAll(type.name, [...byId(type, records).keys()]))
  const isWrong = (row: StoredRecord | undefined, record: StoredRecord) => row !== undefined && isWrongRow(row, record)
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

/** Whether a row has the version of a record, but not its values. Those that a platform moves by itself are not compared. */
export function lacksValuesOf({ platform }: Watched, type: RecordType, row: StoredRecord, record: StoredRecord): boolean {
  if (!isSameVersion(platform, row, record)) return false
  return Object.keys(differences(type, recordOf(type, row, NO_USERS), recordOf(type, rowOf(type, record), NO_USERS))).length > 0
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
    const attached = await dropAttached(writer, type, id)
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
  if (Object.keys(valuesBefore(type, was, is)).length > 0) await announce(writer, changeTo(type, 'updated', was, is), user)
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
