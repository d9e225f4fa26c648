import { searchTextIn } from '../../../contract/search-text.ts'
import type { StoredRecord } from '../../platform.ts'
import { isMirror } from '../mirror.ts'
import { gramsOf } from '../sql/search-grams.ts'
import { changesSearch, isSearched } from '../sql/searched.ts'
import { quoted, type Table } from '../sql/tables.ts'
import { type Into, into } from './inserts.ts'
import { getRecords } from './reader.ts'
import { BLOCK_ROWS, hashesIn, ownerGram } from './search-hashes.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

const QUEUE: Into = into('SearchQueue', [
  ['Workspace', 'INTEGER'],
  ['RecordType', 'TEXT'],
  ['RecordID', 'TEXT'],
])

/**
 * Notes that a record was written, in the transaction of the write: it is indexed later. Where names are given, only these fields were written, and nothing is
 * noted where a search does not cover them.
 */
export function noteForSearch(work: Work, workspace: number, { record }: Table, id: string, names?: readonly string[]): void {
  if (!changesSearch(record, names)) return
  work.add({ into: QUEUE, values: [workspace, record.name, id] })
}

/** The first key of the advisory locks of the index; the second is the workspace. */
const LOCK = 0x43524d53

/** One process at a time indexes a workspace, until its transaction ends: two could write a record in the wrong order. */
export const lockIndex = (work: Work, workspace: number) => work.ask(`SELECT pg_advisory_xact_lock(${LOCK}, ?)`, [workspace])

/** The same without waiting; false where another process has it. */
export const tryLockIndex = async (work: Work, workspace: number) =>
  (await work.ask(`SELECT pg_try_advisory_xact_lock(${LOCK}, ?)`, [workspace]))[0]?.[0] === true

/** Removes a record that was erased from the index, in the transaction of the erasure. The lock keeps a process from writing what it has read before. */
export async function eraseFromIndex(work: Work, workspace: number, type: string, id: string): Promise<void> {
  if (!isSearched({ name: type })) return
  await lockIndex(work, workspace)
  work.run('DELETE FROM "SearchRow" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ?', [workspace, type, id])
}

/** Makes the index agree with these records, as they are now. Resolves to those for which it did not. The workspace's index must be locked. */
export async function indexRecords(work: Work, workspace: number, type: string, ids: readonly string[]): Promise<readonly string[]> {
  if (!isSearched({ name: type }) || ids.length === 0) return []
  const table = tableFor(type)
  const records = new Map((await getRecords((sql, bind) => work.ask(sql, bind), workspace, table, ids)).map((record) => [record[table.id] as string, record]))
  const before = new Map(
    (
      await work.ask(
        'SELECT "RecordID", "OwnerID", "Words", "Places", "Block" FROM "SearchRow" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ANY(CAST(? AS TEXT[]))',
        [workspace, type, ids],
      )
    ).map(([id, owner, words, places, block]) => [
      id as string,
      { owner: owner as string, words: words as string, places: places as string, block: block as number },
    ]),
  )
  const changed = [...records].flatMap(([id, record]) => {
    const after = { id, ...searchTextIn(type, record), owner: ownerOf(table, record) }
    const was = before.get(id)
    return was && was.words === after.words && was.places === after.places && was.owner === after.owner ? [] : [{ ...after, block: was?.block }]
  })
  const gone = [...before.keys()].filter((id) => !records.has(id))
  if (gone.length > 0)
    work.run('DELETE FROM "SearchRow" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ANY(CAST(? AS TEXT[]))', [workspace, type, gone])
  if (changed.length === 0) return gone
  const blocks = await blocksFor(
    work,
    workspace,
    type,
    changed.flatMap(({ id, block }) => (block === undefined ? [id] : [])),
  )
  const rows = changed.map((row) => ({ ...row, block: row.block ?? (blocks.get(row.id) as number) }))
  const gramsWith = ({ words, owner, block }: { words: string; owner: string; block: number }) => {
    return `{${[...gramsOf(words), ownerGram(owner)].map(hashesIn(workspace, type, block)).join()}}`
  }
  work.run(UPSERT, [
    workspace,
    type,
    rows.map(({ id }) => id),
    rows.map(({ owner }) => owner),
    rows.map(({ words }) => words),
    rows.map(({ places }) => places),
    rows.map(({ block }) => String(block)),
    rows.map(gramsWith),
  ])
  return [...gone, ...changed.map(({ id }) => id)]
}

const UPSERT = `INSERT INTO "SearchRow" ("Workspace", "RecordType", "RecordID", "OwnerID", "Words", "Places", "Block", "Grams")
  SELECT CAST(? AS INTEGER), CAST(? AS TEXT), n.id, n.owner, n.words, n.places, n.block, CAST(n.grams AS INTEGER[])
  FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS INTEGER[]), CAST(? AS TEXT[])) AS n(id, owner, words, places, block, grams)
  ON CONFLICT ("Workspace", "RecordType", "RecordID") DO UPDATE SET "OwnerID" = excluded."OwnerID", "Words" = excluded."Words", "Places" = excluded."Places", "Grams" = excluded."Grams"`

const beside = (compared: string, order: string) =>
  `(SELECT r."Block" FROM "SearchRow" r WHERE r."Workspace" = ? AND r."RecordType" = ? AND r."RecordID" ${compared} i.id ORDER BY r."RecordID" ${order} LIMIT 1)`

/**
 * The blocks of records that are new in the index, by id. All records of a block are newer than those of the blocks below: a record goes where the one before it is, and
 * a block that is full is followed by another at either end. In a mirror, whose ids are in no order, the record that was indexed last counts as the newest.
 */
async function blocksFor(work: Work, workspace: number, type: string, ids: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  if (ids.length === 0) return found
  const places = isMirror(workspace)
    ? ids.map((id) => ({ id, before: null, after: null }))
    : (
        await work.ask(`SELECT i.id, ${beside('<', 'DESC')}, ${beside('>', 'ASC')} FROM unnest(CAST(? AS TEXT[])) AS i(id)`, [
          workspace,
          type,
          workspace,
          type,
          ids,
        ])
      ).map(([id, before, after]) => ({ id: id as string, before: before as number | null, after: after as number | null }))
  const rows = new Map<number, number>()
  for (const [block, count] of await work.ask('SELECT "Block", "Rows" FROM "SearchBlock" WHERE "Workspace" = ? AND "RecordType" = ?', [workspace, type]))
    rows.set(block as number, count as number)
  const added = new Map<number, number>()
  const put = (id: string, block: number) => {
    found.set(id, block)
    rows.set(block, (rows.get(block) ?? 0) + 1)
    added.set(block, (added.get(block) ?? 0) + 1)
  }
  const isFull = (block: number) => (rows.get(block) ?? 0) >= BLOCK_ROWS
  const byId = [...places].sort((a, b) => (a.id < b.id ? -1 : 1))
  let top = rows.size > 0 ? Math.max(...rows.keys()) : 0
  let bottom = rows.size > 0 ? Math.min(...rows.keys()) : 0
  for (const { id, before, after } of byId) {
    if (after !== null && before !== null) put(id, before)
    else if (after === null) {
      if (isFull(top)) top++
      put(id, top)
    }
  }
  for (const { id, before, after } of byId.reverse()) {
    if (before !== null || after === null) continue
    if (isFull(bottom)) bottom--
    put(id, bottom)
  }
  work.run(
    `INSERT INTO "SearchBlock" ("Workspace", "RecordType", "Block", "Rows") SELECT CAST(? AS INTEGER), CAST(? AS TEXT), * FROM unnest(CAST(? AS INTEGER[]), CAST(? AS INTEGER[]))
      ON CONFLICT ("Workspace", "RecordType", "Block") DO UPDATE SET "Rows" = "SearchBlock"."Rows" + excluded."Rows"`,
    [workspace, type, [...added.keys()].map(String), [...added.values()].map(String)],
  )
  return found
}

const ownerOf = ({ record }: Table, values: StoredRecord) => (record.belongs === null ? '' : String(values[record.belongs] ?? ''))

/** Indexes the oldest of the queue, so that blocks are filled in the order of ids, and resolves to their number. */
export async function indexQueued(work: Work, workspace: number, most: number): Promise<number> {
  const taken = await work.ask(
    `DELETE FROM "SearchQueue" WHERE "Workspace" = ? AND "Arrived" IN (SELECT "Arrived" FROM "SearchQueue" WHERE "Workspace" = ? ORDER BY "Arrived" LIMIT ?) RETURNING "RecordType", "RecordID"`,
    [workspace, workspace, most],
  )
  for (const type of new Set(taken.map(([type]) => type as string)))
    await indexRecords(work, workspace, type, [...new Set(taken.flatMap(([of, id]) => (of === type ? [id as string] : [])))])
  return taken.length
}

/** Indexes some of the records that were there before the index, from the newest back, and resolves to their number; 0 where none are left. */
export async function backfill(work: Work, workspace: number, most: number): Promise<number> {
  const [fill] = await work.ask('SELECT "RecordType", "Before" FROM "SearchFill" WHERE "Workspace" = ? LIMIT 1', [workspace])
  if (!fill) return 0
  const [type, before] = fill as unknown as [string, string]
  const id = quoted(tableFor(type).id)
  const ids = (
    await work.ask(`SELECT ${id} FROM ${quoted(type)} WHERE "Workspace" = ? AND ${id} < ? ORDER BY ${id} DESC LIMIT ?`, [workspace, before, most])
  ).map(([one]) => one as string)
  await indexRecords(work, workspace, type, ids)
  const last = ids.at(-1)
  if (last === undefined) work.run('DELETE FROM "SearchFill" WHERE "Workspace" = ? AND "RecordType" = ?', [workspace, type])
  else work.run('UPDATE "SearchFill" SET "Before" = ? WHERE "Workspace" = ? AND "RecordType" = ?', [last, workspace, type])
  return Math.max(1, ids.length)
}
