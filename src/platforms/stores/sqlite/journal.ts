import { recordType } from '../../../contract/operations.ts'
import type { AuditLine, EventQuery, JournalReader, StoredEvent } from '../../store.ts'
import { ANNOUNCED, CHAINED, columnsAs, LINE_COLUMNS } from '../sql/audit-columns.ts'
import { type Link, linkAfterCells, START } from '../sql/chain.ts'
import { MOVE_RECORD, moveIfOther, presentOwner } from '../sql/line-owners.ts'
import { rowOf, SEARCHED } from '../sql/lines.ts'
import { IMAGE_BYTES, rowsThatFit } from '../sql/page-bytes.ts'
import { POSITION } from '../sql/positions.ts'
import { quoted } from '../sql/tables.ts'
import { anyRecord, verifyChain } from '../sql/verify.ts'
import type { Connection } from './connection.ts'
import { eraseAnswers } from './idempotency-keys.ts'
import { findKey } from './key-index.ts'
import { sizesIn, sizesSql } from './page-bytes.ts'
import { schemaFaults } from './schema-check.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

const CHANGE_COLUMNS = [...LINE_COLUMNS, 'Workspace', 'Number', 'Seal']
const INSERT_CHANGE = `INSERT INTO "Change" (${CHANGE_COLUMNS.map(quoted).join(', ')}) VALUES (${CHANGE_COLUMNS.map(() => '?').join(', ')})`

const MOVE_IF_OTHER = moveIfOther('INDEXED BY "Change_RecordID"')

/** Adds a line to the audit, with its place in the chain. */
export function recordLine(work: Work, line: AuditLine): string {
  const { workspace } = work
  const { heads } = work.transaction
  const before = heads.get(workspace) ?? headOf(work.connection, workspace)
  const stamp = work.clock.newId()
  const cells = rowOf(stamp, line)
  const link = linkAfterCells(before, cells, workspace)
  cells.push(workspace, link.number, link.seal)
  work.insert(INSERT_CHANGE, cells)
  heads.set(workspace, link)
  work.changes = true
  const moving = [workspace, line.recordId, line.owner]
  if (line.moved) work.run(MOVE_RECORD, moving)
  else if (line.mapped) work.run(MOVE_IF_OTHER, [...moving, ...moving])
  return stamp.id
}

/** Erases every image of a record, in its changes and in the stored answers to them. */
export function eraseImages(work: Work, type: string, recordId: string): number {
  eraseAnswers(work, type, recordId)
  return work.run(
    'UPDATE "Change" INDEXED BY "Change_RecordID" SET "Before" = NULL, "After" = NULL, "Salt" = NULL WHERE "Workspace" = ? AND "RecordID" = ? AND "RecordType" = ? AND "Salt" IS NOT NULL',
    [work.workspace, recordId, type],
  )
}

/** Deletes the child records of a record, also of one that was deleted before. */
export function removeChildren(work: Pick<Work, 'run'>, workspace: number, type: string, id: string): void {
  for (const { record } of recordType(type).children.map((child) => tableFor(child.type))) {
    work.run(`DELETE FROM ${quoted(record.name)} WHERE "Workspace" = ? AND ${quoted(record.childOf?.field as string)} = ?`, [workspace, id])
  }
}

function headOf(connection: Connection, workspace: number): Link {
  const head = connection.get(
    'SELECT "Number" AS number, "Seal" AS seal FROM "Change" INDEXED BY "Change_Number" WHERE "Workspace" = ? ORDER BY "Number" DESC LIMIT 1',
    [workspace],
  )
  return (head as unknown as Link | undefined) ?? beginningOf(connection, workspace)
}

/** What the oldest stored change follows. */
function beginningOf(connection: Connection, workspace: number): Link {
  const row = connection.get('SELECT "Number" AS number, "Seal" AS seal FROM "Chain" WHERE "Workspace" = ?', [workspace])
  return (row as unknown as Link | undefined) ?? START
}

/** Reads one workspace's journal. */
export function createJournalReader(connection: Connection, workspace: number): JournalReader {
  return {
    async findIdempotencyKey(userId, key) {
      return findKey(connection, workspace, userId, key)
    },

    async events(query) {
      return events(query)
    },

    async span() {
      return { released: beginningOf(connection, workspace).number, newest: headOf(connection, workspace).number }
    },

    async position(name) {
      return connection.get(POSITION, [workspace, name])?.value as string | undefined
    },

    async verify(options) {
      const any = anyRecord(workspace)
      const report = await verifyChain({
        ...options,
        workspace,
        sealsAtOnce: true,
        beginning: async () => beginningOf(connection, workspace),
        lines: async ({ number, changeId }, limit) => connection.all(LINES, [workspace, number, changeId, limit]),
        erased: async (recordId, after) =>
          connection.get(
            `SELECT 1 AS one FROM "Change" INDEXED BY "Change_RecordID" WHERE "Workspace" = ? AND "RecordID" = ? AND "Operation" = 'erase_record' AND "Outcome" = 'ok' AND "Number" > ?`,
            [workspace, recordId, after],
          ) !== undefined,
        unsealed: async () =>
          connection.get('SELECT COUNT(*) AS n FROM "Change" INDEXED BY "Change_Number" WHERE "Workspace" = ? AND "Number" IS NULL', [workspace])?.n as number,
        hasRecords: async () => connection.get(any.sql, any.bind) !== undefined,
      })
      // A trigger that was made since the store was opened.
      const altered = schemaFaults(connection).map(({ message }) => ({ number: report.head.number, changeId: null, fault: message }))
      return { ...report, faults: [...altered, ...report.faults] }
    },
  }

  function events({ after, limit, eventTypes, owners }: EventQuery) {
    const newest = headOf(connection, workspace).number
    const upTo = Math.min(newest, after + SEARCHED)
    const mine = owners ? ` AND ${presentOwner('t')} IN (SELECT value FROM json_each(?))` : ''
    const matches = `FROM "Change" t INDEXED BY "Change_Number" WHERE "Workspace" = ? AND "Number" > ? AND "Number" <= ?
        AND "EventType" IN (SELECT value FROM json_each(?))${mine} ORDER BY "Number" LIMIT ?`
    const bind = [workspace, after, upTo, JSON.stringify(eventTypes), ...(owners ? [JSON.stringify(owners)] : [])]
    const sizes = sizesIn(connection.get(sizesSql(IMAGE_BYTES, matches), [...bind, limit]))
    const rows = connection.all(`SELECT ${columnsAs(ANNOUNCED)}, ${presentOwner('t')} AS "owner" ${matches}`, [
      ...bind,
      rowsThatFit(sizes),
    ]) as unknown as StoredEvent[]
    const isCut = rows.length === limit || rows.length < sizes.length
    return { events: rows, upTo: isCut ? (rows.at(-1)?.number as number) : Math.max(after, upTo) }
  }
}

const LINES = `SELECT ${columnsAs(CHAINED)} FROM "Change" INDEXED BY "Change_Number" WHERE "Workspace" = ? AND ("Number", "ChangeID") > (?, ?) ORDER BY "Number", "ChangeID" LIMIT ?`
