import { randomInt } from 'node:crypto'
import { SEARCHED_TYPES } from '../../../contract/search.ts'
import { searchTextIn } from '../../../contract/search-text.ts'
import type { StoredRecord } from '../../platform.ts'
import { FIRST_MIRROR, isMirror } from '../mirror.ts'
import { timeOf } from '../sql/ids.ts'
import { gramsOf } from '../sql/search-grams.ts'
import { changesSearch, isSearched } from '../sql/searched.ts'
import type { Table } from '../sql/tables.ts'
import type { Connection } from './connection.ts'
import { getRecord } from './reader.ts'
import { tableFor } from './tables.ts'
import type { Unindexed, Work } from './work.ts'

/**
 * Notes that a record was written, in the transaction of the write: it is indexed later. Where names are given, only these fields were written, and nothing is
 * noted where a search does not cover them.
 */
export function noteForSearch(work: Work, { record }: Table, id: string, names?: readonly string[]): void {
  if (!changesSearch(record, names)) return
  work.transaction.unindexed.push([work.workspace, record.name, id])
}

/** Writes what a transaction has noted. One statement, whatever the number of records. */
export function queueForSearch(connection: Connection, unindexed: readonly Unindexed[]): void {
  if (unindexed.length === 0) return
  connection.run('INSERT OR IGNORE INTO "SearchQueue" ("Workspace", "RecordType", "RecordID") SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)', [
    JSON.stringify(unindexed),
  ])
}

/**
 * The rows of one type in one workspace are a range of row numbers, in which they are in the order of their ids, so that an index read backwards finds the newest
 * first: 18 bits for the range, 42 for the time in milliseconds, 3 for the records of one, which may take the places of another where there are more. Where
 * there are more ranges, some are shared: what is found is compared with workspace and type in any case.
 */
const ROW_BITS = 45
const IN_MS = 8
const RANGES = 2 ** 18
/** Leaves room for what is created faster. */
const LAST_MS = 2 ** 42 - 2 ** 30

/** A mirror is half of all ranges away from its workspace, so that neither is looked through for the other. */
const rangeOf = (workspace: number, type: string) =>
  (workspace * 16 + (Math.floor(workspace / FIRST_MIRROR) * RANGES) / 2 + SEARCHED_TYPES.indexOf(type)) % RANGES

/** The rows of a type, as a condition on their number. */
export const inRange = (row: string) => `${row} BETWEEN (? << ${ROW_BITS}) AND ((? + 1) << ${ROW_BITS}) - 1`
export const rangeBind = (workspace: number, type: string) => [rangeOf(workspace, type), rangeOf(workspace, type)]

/** Rows looked at for a free place where a record has none between its neighbours; beyond, it counts as the newest. */
const LOOKED_AT = 1000

/** A free place for a record, between those of the records before and after it. */
function freePlace(connection: Connection, workspace: number, type: string, id: string): number {
  const range = rangeOf(workspace, type)
  const beside = (sql: string) => connection.get(sql, [workspace, type, id])?.place as number | undefined
  const [before = -1, after = 2 ** ROW_BITS] = [beside(BEFORE), beside(AFTER)]
  const wanted = Math.max(before + 1, Math.min(after - 1, Math.min(timeOf(id), LAST_MS) * IN_MS))
  for (let place = wanted; place >= Math.max(0, wanted - LOOKED_AT); place--) if (connection.get(TAKEN, [range, place]) === undefined) return place
  return (connection.get(LAST, [range, range])?.place as number) + 1
}

/** The same in a mirror, whose ids are in no order: at the time of creation, or as little before it as there is room. */
function freePlaceAt(connection: Connection, range: number, created: string): number {
  const time = Math.min(Date.parse(created) || 0, LAST_MS) * IN_MS
  for (let within = IN_MS; ; within *= IN_MS) {
    const place = Math.max(0, time + IN_MS - 1 - randomInt(Math.min(within, LAST_MS)))
    if (connection.get(TAKEN, [range, place]) === undefined) return place
  }
}

const PLACE = `SELECT "Row" & ${2 ** ROW_BITS - 1} AS place FROM "SearchRow"`
const BEFORE = `${PLACE} WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" < ? ORDER BY "RecordID" DESC LIMIT 1`
const AFTER = `${PLACE} WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" > ? ORDER BY "RecordID" LIMIT 1`
const TAKEN = `${PLACE} WHERE "Row" = (? << ${ROW_BITS}) + ?`
const LAST = `${PLACE} WHERE ${inRange('"Row"')} ORDER BY "Row" DESC LIMIT 1`

interface Indexed {
  readonly place: number
  readonly owner: string
  readonly words: string
  readonly places: string
}

/** Makes the index agree with a record, as it is now. Whether it did not before. */
export function indexRecord(work: Work, workspace: number, type: string, id: string): boolean {
  const table = tableFor(type)
  const record = getRecord(work.connection, workspace, table, id)
  const before = indexedAs(work, workspace, type, id)
  const after = record && { ...searchTextIn(type, record), owner: ownerOf(table, record) }
  if (before && after && before.words === after.words && before.places === after.places && before.owner === after.owner) return false
  const range = rangeOf(workspace, type)
  if (before) removeGrams(work, range, before)
  if (!after) {
    if (before) removeRow(work, range, before)
    return before !== undefined
  }
  const place =
    before?.place ??
    (isMirror(workspace) ? freePlaceAt(work.connection, range, record?.CreatedDate as string) : freePlace(work.connection, workspace, type, id))
  work.run(`INSERT INTO "SearchIndex" (rowid, "Grams") VALUES ((? << ${ROW_BITS}) + ?, ?)`, [range, place, gramsWith(after)])
  if (before)
    work.run(`UPDATE "SearchRow" SET "OwnerID" = ?, "Words" = ?, "Places" = ? WHERE "Row" = (? << ${ROW_BITS}) + ?`, [
      after.owner,
      after.words,
      after.places,
      range,
      place,
    ])
  else
    work.insert(
      `INSERT INTO "SearchRow" ("Row", "Workspace", "RecordType", "RecordID", "OwnerID", "Words", "Places") VALUES ((? << ${ROW_BITS}) + ?, ?, ?, ?, ?, ?, ?)`,
      [range, place, workspace, type, id, after.owner, after.words, after.places],
    )
  return true
}

/** Removes a record that was erased from the index, in the transaction of the erasure. */
export function eraseFromIndex(work: Work, workspace: number, type: string, id: string): void {
  if (!isSearched({ name: type })) return
  const before = indexedAs(work, workspace, type, id)
  if (!before) return
  const range = rangeOf(workspace, type)
  removeGrams(work, range, before)
  removeRow(work, range, before)
}

function indexedAs({ connection }: Work, workspace: number, type: string, id: string): Indexed | undefined {
  return connection.get(
    `SELECT "Row" & ${2 ** ROW_BITS - 1} AS place, "OwnerID" AS owner, "Words" AS words, "Places" AS places FROM "SearchRow" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ?`,
    [workspace, type, id],
  ) as Indexed | undefined
}

/**
 * A savepoint makes FTS5 write what it has in memory. With `secure-delete` and `detail=none` it otherwise loses entries of rows that are indexed after a removal in the
 * same transaction (SQLite 3.53).
 */
function removeGrams(work: Work, range: number, before: Indexed): void {
  work.run(`INSERT INTO "SearchIndex" ("SearchIndex", rowid, "Grams") VALUES ('delete', (? << ${ROW_BITS}) + ?, ?)`, [range, before.place, gramsWith(before)])
  work.run('SAVEPOINT "search"', [])
  work.run('RELEASE "search"', [])
}

function removeRow(work: Work, range: number, { place }: Indexed): void {
  work.run(`DELETE FROM "SearchRow" WHERE "Row" = (? << ${ROW_BITS}) + ?`, [range, place])
}

/** What a record is indexed by: the parts of its words, and its owner. */
const gramsWith = ({ words, owner }: { readonly words: string; readonly owner: string }) => `${[...gramsOf(words)].join(' ')} ${ownerGram(owner)}`

/** Longer than any part of a word. Owners whose ids differ in other characters only share it: what is found is compared with the owner. */
export const ownerGram = (owner: string) => `ownerid${owner.toLowerCase().replace(/[^0-9a-z]/g, '')}`

const ownerOf = ({ record }: Table, values: StoredRecord) => (record.belongs === null ? '' : String(values[record.belongs] ?? ''))
