import { SEARCHED_TYPES } from '../../../contract/search.ts'
import { quoted } from '../sql/tables.ts'
import type { Connection } from './connection.ts'
import type { Unindexed } from './search.ts'
import { indexRecord } from './search-index.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

/** How long after a write its record is indexed, where no search wants it before: writes in quick succession share the transaction. */
const AFTER_WRITE_MS = 300

/** How often the queue is polled for what another process has left there. */
const POLL_MS = 10_000

/** How long indexing may hold up other calls at once, and how many times as long it rests: while others write, and otherwise. */
const SLICE_MS = 4
const REST_WHILE_WRITING = 60
const REST = 3

/** How much of the queue a search indexes before it begins, and how many of the newest beyond that it compares itself: what its caller has just written is among them. */
const BEFORE_SEARCH = 300
const BEFORE_SEARCH_MS = 25

/** Records looked up at once. */
const PAGE = 20

const HAS_WORK = 'SELECT EXISTS (SELECT 1 FROM "SearchQueue") OR EXISTS (SELECT 1 FROM "SearchFill") AS work'
const hasWork = (connection: Connection) => connection.get(HAS_WORK, [])?.work === 1

/**
 * Indexes in the background what was written, and then what a backfill has yet to do. A slice is one transaction, which takes from the queue
 * what it indexes: a crash leaves both or neither, and several processes may do it at the same time.
 */
export function createSearchIndexer(reading: Connection, transaction: <T>(work: (piece: Work) => T) => Promise<T>) {
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let restUntil = 0
  let ended = false
  /** Commits so far, and how many there were when the last slice had ended. */
  let commits = 0
  let commitsBefore = 0

  function schedule(ms: number): void {
    const at = Math.max(performance.now() + ms, restUntil)
    if (ended || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(run, at - performance.now()).unref()
  }

  async function run(): Promise<void> {
    const rest = commits === commitsBefore ? REST : REST_WHILE_WRITING
    let next = POLL_MS
    let tookMs = 0
    try {
      if (hasWork(reading)) {
        const isLeft = await transaction((piece) => {
          const began = performance.now()
          slice(piece, began + SLICE_MS)
          tookMs = performance.now() - began
          return hasWork(piece.connection)
        })
        if (isLeft) next = 0
      }
    } catch {
      // Another process may be writing for long, or the disk be full: calls report that. It is tried again.
      next = 1000
    }
    commitsBefore = commits
    restUntil = performance.now() + rest * tookMs
    dueAt = Number.POSITIVE_INFINITY
    schedule(next)
  }

  // A backfill, or what a process that was killed has left.
  schedule(AFTER_WRITE_MS)

  return {
    /** Called after each commit of this process. */
    committed(queued: boolean): void {
      commits++
      if (queued) schedule(AFTER_WRITE_MS)
    },

    /** Indexes what was written to these types, so that a search finds it, and resolves to the newest of what is left. A store that cannot be written to is searched as it is. */
    async catchUp(workspace: number, types: readonly string[]): Promise<Unindexed> {
      if (reading.get(ANY, [workspace]) === undefined) return NONE
      await transaction((piece) => {
        const until = performance.now() + BEFORE_SEARCH_MS
        for (let done = 0, round = 1; round > 0 && done < BEFORE_SEARCH && performance.now() < until; done += round) {
          round = 0
          for (const type of types) round += indexQueued(piece, OLDEST_OF_TYPE, [workspace, type], until)
        }
      }).catch(() => {})
      if (reading.get(ANY, [workspace]) === undefined) return NONE
      const most = Math.ceil(BEFORE_SEARCH / types.length)
      return new Map(types.map((type) => [type, reading.all(NEWEST_OF_TYPE, [workspace, type, most]).map(({ id }) => id as string)]))
    },

    end(): void {
      ended = true
      clearTimeout(timer)
    },
  }
}

const QUEUED = 'SELECT "Workspace" AS workspace, "RecordType" AS type, "RecordID" AS id FROM "SearchQueue"'
const OLDEST_OF_TYPE = `${QUEUED} WHERE "Workspace" = ? AND "RecordType" = ? ORDER BY "RecordID" LIMIT ${PAGE}`
const NEWEST_OF_TYPE = `${QUEUED} WHERE "Workspace" = ? AND "RecordType" = ? ORDER BY "RecordID" DESC LIMIT ?`
const ANY = 'SELECT 1 AS one FROM "SearchQueue" WHERE "Workspace" = ? LIMIT 1'
const NONE: Unindexed = new Map()
const OLDEST = `${QUEUED} ORDER BY "Workspace", "RecordType", "RecordID" LIMIT ${PAGE}`

function slice(piece: Work, until: number): void {
  while (performance.now() < until && indexQueued(piece, OLDEST, [], until) > 0);
  while (performance.now() < until && backfill(piece, until));
}

/** Indexes records from the queue, and answers with their number. */
function indexQueued(piece: Work, sql: string, bind: readonly (string | number)[], until: number): number {
  let done = 0
  for (const { workspace, type, id } of piece.connection.all(sql, bind) as { workspace: number; type: string; id: string }[]) {
    if (SEARCHED_TYPES.includes(type)) indexRecord(piece, workspace, type, id)
    piece.run('DELETE FROM "SearchQueue" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ?', [workspace, type, id])
    done++
    if (performance.now() >= until) break
  }
  return done
}

/** Indexes some of the records that were there before the index, from the newest back; false where none are left. */
function backfill(piece: Work, until: number): boolean {
  const { connection } = piece
  const fill = connection.get('SELECT "Workspace" AS workspace, "RecordType" AS type, "Before" AS before FROM "SearchFill" LIMIT 1', [])
  if (!fill) return false
  const { workspace, type, before } = fill as { workspace: number; type: string; before: string }
  const id = quoted(tableFor(type).id)
  const rows = connection.all(`SELECT ${id} AS id FROM ${quoted(type)} WHERE "Workspace" = ? AND ${id} < ? ORDER BY ${id} DESC LIMIT ${PAGE}`, [
    workspace,
    before,
  ]) as { id: string }[]
  let last: string | undefined
  for (const row of rows) {
    indexRecord(piece, workspace, type, row.id)
    last = row.id
    if (performance.now() >= until) break
  }
  if (last === undefined) piece.run('DELETE FROM "SearchFill" WHERE "Workspace" = ? AND "RecordType" = ?', [workspace, type])
  else piece.run('UPDATE "SearchFill" SET "Before" = ? WHERE "Workspace" = ? AND "RecordType" = ?', [last, workspace, type])
  return true
}
