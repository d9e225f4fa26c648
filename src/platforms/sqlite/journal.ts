import { recordType } from '../../contract/operations.ts'
import type { Announced, EventQuery, JournalReader, JournalWriter, Kept, StoredRecord } from '../platform.ts'
import { imageDigest, type Link, newSalt, START, sealOf } from '../sql/chain.ts'
import { quoted, tableFor } from '../sql/tables.ts'
import { verifyChain } from '../sql/verify.ts'
import type { Connection } from './connection.ts'
import type { Clock, Piece } from './writer.ts'

/** The ends of the chains inside a transaction, by workspace. They are read anew in each, since other processes add to them too. */
export type Heads = Map<number, Link>

/** So many changes are looked through for one page of events: enough to find some, few enough that nobody waits. */
const LOOKED_THROUGH = 5000

const INSERT_CHANGE = `INSERT INTO "Change" ("Workspace", "ChangeID", "At", "Number", "UserID", "KeyID", "Transport", "Operation", "RecordType", "RecordID", "Before", "After",
  "RequestID", "Outcome", "EventType", "IdempotencyKey", "OwnerID", "Salt", "BeforeDigest", "AfterDigest", "Seal") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Writes one workspace's journal inside a transaction. `remove` takes a record out with its counters. */
export function createJournalWriter(
  connection: Connection,
  { run, changed }: Piece,
  workspace: number,
  clock: Clock,
  heads: Heads,
  remove: (type: string, id: string) => StoredRecord | undefined,
): JournalWriter {
  return {
    async kept(userId, key) {
      return keptOf(connection, workspace, userId, key)
    },

    async keep(userId, key, { fingerprint, at, state, answer, changeId }) {
      const row = [workspace, userId, key, fingerprint, at, state, answer, changeId]
      const added = run(
        'INSERT INTO "Once" ("Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer", "ChangeID") VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        row,
      )
      if (added > 0) return
      // Not in the old one's place: keys stay in the order of their making.
      run(RELEASE, [workspace, userId, key])
      run('INSERT INTO "Once" ("Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer", "ChangeID") VALUES (?, ?, ?, ?, ?, ?, ?, ?)', row)
    },

    async release(userId, key) {
      run(RELEASE, [workspace, userId, key])
    },

    async record(line) {
      const before = heads.get(workspace) ?? headOf(connection, workspace)
      const { id: changeId, at } = clock.birth()
      const salt = line.before === null && line.after === null ? null : newSalt()
      const sealed = { ...line, changeId, at, beforeDigest: imageDigest(salt ?? '', line.before), afterDigest: imageDigest(salt ?? '', line.after) }
      const link = { number: before.number + 1, seal: sealOf(before, sealed) }
      run(INSERT_CHANGE, [
        workspace,
        changeId,
        at,
        link.number,
        line.userId,
        line.keyId,
        line.transport,
        line.operation,
        line.recordType,
        line.recordId,
        line.before,
        line.after,
        line.requestId,
        line.outcome,
        line.eventType,
        line.idempotencyKey,
        line.owner,
        salt,
        sealed.beforeDigest,
        sealed.afterDigest,
        link.seal,
      ])
      heads.set(workspace, link)
      changed()
      if (line.moved)
        run('UPDATE "Change" SET "OwnerID" = ? WHERE "Workspace" = ? AND "RecordID" = ? AND "OwnerID" IS NOT NULL', [line.owner, workspace, line.recordId])
      return changeId
    },

    async erase(type, id) {
      remove(type, id)
      removeHanging(run, workspace, type, id)
      run(
        `UPDATE "Once" SET "Answer" = NULL FROM "Change" c WHERE c."Workspace" = ?1 AND c."RecordID" = ?2 AND c."IdempotencyKey" IS NOT NULL
          AND "Once"."Workspace" = ?1 AND "Once"."UserID" = c."UserID" AND "Once"."Key" = c."IdempotencyKey" AND "Once"."ChangeID" = c."ChangeID"`,
        [workspace, id],
      )
      return run('UPDATE "Change" SET "Before" = NULL, "After" = NULL, "Salt" = NULL WHERE "Workspace" = ? AND "RecordID" = ? AND "Salt" IS NOT NULL', [
        workspace,
        id,
      ])
    },
  }
}

const RELEASE = 'DELETE FROM "Once" WHERE "Workspace" = ? AND "UserID" = ? AND "Key" = ?'

/** Removes for good what hangs on a record, or hung on one that was deleted. */
export function removeHanging(run: Piece['run'], workspace: number, type: string, id: string): void {
  for (const { record } of recordType(type).hanging.map((hanging) => tableFor(hanging.type))) {
    run(`DELETE FROM ${quoted(record.name)} WHERE "Workspace" = ? AND ${quoted(record.hangsOn?.field as string)} = ?`, [workspace, id])
  }
}

function keptOf(connection: Connection, workspace: number, userId: string, key: string): Kept | undefined {
  const row = connection.get(
    'SELECT "Fingerprint" AS fingerprint, "At" AS at, "State" AS state, "Answer" AS answer, "ChangeID" AS changeId FROM "Once" WHERE "Workspace" = ? AND "UserID" = ? AND "Key" = ?',
    [workspace, userId, key],
  )
  return row as Kept | undefined
}

function headOf(connection: Connection, workspace: number): Link {
  const head = connection.get(
    'SELECT "Number" AS number, "Seal" AS seal FROM "Change" INDEXED BY "Change_Number" WHERE "Workspace" = ? ORDER BY "Number" DESC LIMIT 1',
    [workspace],
  )
  return (head as unknown as Link | undefined) ?? beginningOf(connection, workspace)
}

/** What the first change that is still kept follows. */
function beginningOf(connection: Connection, workspace: number): Link {
  const row = connection.get('SELECT "Number" AS number, "Seal" AS seal FROM "Chain" WHERE "Workspace" = ?', [workspace])
  return (row as unknown as Link | undefined) ?? START
}

/** Reads one workspace's journal. */
export function createJournalReader(connection: Connection, workspace: number): JournalReader {
  return {
    async kept(userId, key) {
      return keptOf(connection, workspace, userId, key)
    },

    async events(query) {
      return events(query)
    },

    async span() {
      return { released: beginningOf(connection, workspace).number, newest: headOf(connection, workspace).number }
    },

    async verify(options) {
      return verifyChain({
        ...options,
        beginning: beginningOf(connection, workspace),
        lines: (after, limit) => connection.all(CHAINED, [workspace, after, limit]),
        erased: (recordId, after) =>
          connection.get(
            `SELECT 1 AS one FROM "Change" WHERE "Workspace" = ? AND "RecordID" = ? AND "Operation" = 'erase_record' AND "Outcome" = 'ok' AND "Number" > ?`,
            [workspace, recordId, after],
          ) !== undefined,
        unsealed: () =>
          connection.get('SELECT COUNT(*) AS n FROM "Change" INDEXED BY "Change_Number" WHERE "Workspace" = ? AND "Number" IS NULL', [workspace])?.n as number,
      })
    },
  }

  function events({ after, limit, recordTypes, owners }: EventQuery) {
    const newest = headOf(connection, workspace).number
    const upTo = Math.min(newest, after + LOOKED_THROUGH)
    const mine = owners ? ' AND "OwnerID" IN (SELECT value FROM json_each(?))' : ''
    const rows = connection.all(
      `SELECT "Number" AS number, "ChangeID" AS changeId, "At" AS at, "EventType" AS eventType, "RecordType" AS recordType, "RecordID" AS recordId, "UserID" AS userId,
        "Before" AS before, "After" AS after FROM "Change" INDEXED BY "Change_Number" WHERE "Workspace" = ? AND "Number" > ? AND "Number" <= ?
        AND "EventType" IS NOT NULL AND "RecordType" IN (SELECT value FROM json_each(?))${mine} ORDER BY "Number" LIMIT ?`,
      [workspace, after, upTo, JSON.stringify(recordTypes), ...(owners ? [JSON.stringify(owners)] : []), limit],
    ) as unknown as Announced[]
    return { events: rows, upTo: rows.length === limit ? (rows.at(-1)?.number as number) : Math.max(after, upTo) }
  }
}

const CHAINED = `SELECT "Number" AS number, "ChangeID" AS changeId, "At" AS at, "UserID" AS userId, "KeyID" AS keyId, "Transport" AS transport, "Operation" AS operation,
  "RecordType" AS recordType, "RecordID" AS recordId, "Before" AS before, "After" AS after, "RequestID" AS requestId, "Outcome" AS outcome, "EventType" AS eventType,
  "IdempotencyKey" AS idempotencyKey, "Salt" AS salt, "BeforeDigest" AS beforeDigest, "AfterDigest" AS afterDigest, "Seal" AS seal
  FROM "Change" INDEXED BY "Change_Number" WHERE "Workspace" = ? AND "Number" > ? ORDER BY "Number", "ChangeID" LIMIT ?`
