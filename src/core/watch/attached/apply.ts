import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { Campaign, Membership } from '../../../contract/records/campaign.ts'
import type { AttachedRecord, StoredRecord, UserIds } from '../../../platforms/platform.ts'
import type { StoreWriter } from '../../../platforms/store.ts'
import { typeOn } from '../../call/extension.ts'
import { idOf } from '../../call/records.ts'
import { apply, backfill } from '../apply.ts'
import { erasedSince, readErasures } from '../erasures.ts'
import { slices } from '../slices.ts'
import { isListedLate, type Watched } from '../watched.ts'
import { bringRow, putRow } from './bring.ts'
import { withRowsOfGone } from './gone.ts'
import { areEqual, everyRow, neededBy, type Rows, rowsIn, rowsOf } from './rows.ts'

const NO_ROWS: Rows = new Map()

/** Adds what was found to a mirror that is being backfilled. Nothing is announced. */
export async function fillAttached(watched: Watched, type: RecordType, found: readonly AttachedRecord[]): Promise<void> {
  const { workspace, platform, records, store } = watched
  const wanted = [...rowsIn(platform, type, found).values()].flatMap((rows) => [...rows.values()])
  for (const [on, ids] of await missing(watched, type, wanted)) await backfill(watched, typeOn(platform, recordType(on)), await records.getAll(on, ids))
  for (const some of slices(wanted))
    await store.write(workspace.number, async (writer) => {
      for (const row of some) if (await hasNeeded(writer, type, row)) await putRow(writer, type, idOf(type, row), row)
    })
}

/** Brings the mirror up to what these are now, and announces what has changed. They are read anew, as what is found may be older. Resolves to how many had changed. */
export async function applyAttached(watched: Watched, type: RecordType, ids: readonly string[]): Promise<number> {
  let count = 0
  for (const some of slices(ids)) {
    const before = await rowsBefore(watched, type, some)
    count += await bring(watched, type, [...before], await readAnew(watched, type, some, before))
  }
  return count
}

/** What these are. Those that a list of several does not have, and the mirror has, are read by themselves where that may be a matter of time. */
async function readAnew({ feed }: Watched, type: RecordType, ids: readonly string[], before: ReadonlyMap<string, Rows>): Promise<AttachedRecord[]> {
  const found = [...((await feed.attached?.get(type.name, ids)) ?? [])]
  if (ids.length === 1) return found
  const listed = new Set(found.map(({ record }) => idOf(type, record)))
  for (const [id, rows] of before) {
    const isLate = [...rows.values()].some((row) => isListedLate(feed, row, type.createdField))
    if (!listed.has(id) && isLate) found.push(...((await feed.attached?.get(type.name, [id])) ?? []))
  }
  return found
}

/** The same for those that were found, where the mirror has others. */
export async function applyFound(watched: Watched, type: RecordType, found: readonly AttachedRecord[]): Promise<number> {
  const now = rowsIn(watched.platform, type, found)
  const before = await rowsBefore(watched, type, [...now.keys()])
  const changed = [...now].flatMap(([id, rows]) => (areSame(type, before.get(id) ?? NO_ROWS, rows) ? [] : [id]))
  return applyAttached(watched, type, changed)
}

/** The same for all members of a campaign. */
export async function applyMembers(watched: Watched, campaign: string): Promise<number> {
  const type = typeOn(watched.platform, Membership)
  const rows = await everyRow(watched.rows, type, [{ field: Campaign.id, family: 'text', operator: 'eq', value: campaign }])
  const now = (await watched.feed.attached?.campaigns?.members(campaign)) ?? []
  const before = new Map(rows.map((row): [string, Rows] => [idOf(type, row), new Map([[idOf(type, row), row]])]))
  for (const { record } of now) if (!before.has(idOf(type, record))) before.set(idOf(type, record), NO_ROWS)
  let count = 0
  for (const some of slices([...before])) count += await bring(watched, type, some, now)
  return count
}

async function rowsBefore({ rows }: Watched, type: RecordType, ids: readonly string[]): Promise<Map<string, Rows>> {
  const before = new Map<string, Rows>()
  for (const id of ids) before.set(id, await rowsOf(rows, type, id))
  return before
}

/** What was written through the connector since `before` was read is left to the next poll. */
async function bring(watched: Watched, type: RecordType, before: readonly (readonly [id: string, Rows])[], found: readonly AttachedRecord[]): Promise<number> {
  const { service, workspace, platform, store } = watched
  const now = await withRowsOfGone(watched, type, before, rowsIn(platform, type, found))
  const changed = before.filter(([id, was]) => !areSame(type, was, now.get(id) ?? NO_ROWS))
  if (changed.length === 0) return 0
  const wanted = changed.flatMap(([id]) => [...(now.get(id) ?? NO_ROWS).values()])
  for (const [on, ids] of await missing(watched, type, wanted)) await apply(watched, typeOn(platform, recordType(on)), ids)
  const userIds = await watched.userIds()
  const erasures = await readErasures(service.store.journal(workspace.number))
  return store.write(workspace.number, async (writer) => {
    let count = 0
    const isErased = await erasedSince(writer, erasures)
    const isOfErased = (row: StoredRecord) => neededBy(type, row).some((needed) => isErased(needed.type, needed.id))
    for (const [id, was] of changed) {
      const rows = await rowsOf(writer.inMirror(), type, id)
      if (!areSame(type, rows, was) || [...rows.values(), ...(now.get(id) ?? NO_ROWS).values()].some(isOfErased)) continue
      if (await bringRows(writer, watched, type, rows, now.get(id) ?? NO_ROWS, userIds)) count++
    }
    return count
  })
}

/** Resolves to whether anything had to be changed. */
async function bringRows(writer: StoreWriter, { platform }: Watched, type: RecordType, rows: Rows, wanted: Rows, userIds: UserIds): Promise<boolean> {
  let isChanged = false
  for (const key of new Set([...rows.keys(), ...wanted.keys()])) {
    const [was, given] = [rows.get(key), wanted.get(key)]
    const is = given && (await hasNeeded(writer, type, given)) ? given : undefined
    if (was && is ? areEqual(type, was, is) : was === is) continue
    await bringRow(writer, type, was, is, userIds, (on) => typeOn(platform, recordType(on)))
    isChanged = true
  }
  return isChanged
}

function areSame(type: RecordType, some: Rows, others: Rows): boolean {
  return some.size === others.size && [...some].every(([key, row]) => others.has(key) && areEqual(type, row, others.get(key) as StoredRecord))
}

async function hasNeeded(writer: StoreWriter, type: RecordType, row: StoredRecord): Promise<boolean> {
  for (const needed of neededBy(type, row)) if (!(await writer.inMirror().get(needed.type, needed.id))) return false
  return true
}

/** The ids of records that rows need and the mirror does not have yet, by their types. */
async function missing({ mirror }: Watched, type: RecordType, rows: readonly StoredRecord[]): Promise<Map<string, string[]>> {
  const needed = new Map<string, Set<string>>()
  for (const { type: on, id } of rows.flatMap((row) => neededBy(type, row))) needed.set(on, (needed.get(on) ?? new Set()).add(id))
  const absent = new Map<string, string[]>()
  for (const [on, ids] of needed) {
    const known = new Set((await mirror.getAll(on, [...ids])).map((record) => idOf(recordType(on), record)))
    const some = [...ids].filter((id) => !known.has(id))
    if (some.length > 0) absent.set(on, some)
  }
  return absent
}
