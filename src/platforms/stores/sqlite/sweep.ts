import { RECORD_TYPES } from '../../../contract/operations.ts'
import type { Expiry } from '../../store.ts'
import { inSlices, SLICE } from '../sql/slices.ts'
import { quoted } from '../sql/tables.ts'
import type { Connection } from './connection.ts'
import { removeHanging } from './journal.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

/** Lets go of expired keys and allowances, and of old changes, oldest first, one slice after the other. */
export function createSweep(reading: Connection, together: <T>(work: (piece: Work) => T) => Promise<T>) {
  /** The newest key stays, whatever its age: numbers are never given twice. */
  function expiredKeys(before: string): Promise<number> {
    return together((piece) =>
      piece.run(
        `DELETE FROM "Once" WHERE "Number" IN (SELECT "Number" FROM "Once" ORDER BY "Number" LIMIT ${SLICE}) AND "At" < ? AND "Number" < (SELECT MAX("Number") FROM "Once")`,
        [before],
      ),
    )
  }

  function expiredAllowances(): Promise<number> {
    return together((piece) =>
      piece.run(`DELETE FROM "Allowance" WHERE "Name" IN (SELECT "Name" FROM "Allowance" WHERE "Ends" < ? ORDER BY "Ends" LIMIT ${SLICE})`, [Date.now()]),
    )
  }

  /** Looks and lets go in one transaction: another process may be sweeping too. */
  function oldChanges(workspace: number, before: string): Promise<number> {
    return together((piece) => {
      const oldest = piece.connection.all(
        `SELECT "Number" AS number, "At" AS at, "Seal" AS seal, "RecordType" AS type, "RecordID" AS id, "EventType" AS event FROM "Change" INDEXED BY "Change_Number"
          WHERE "Workspace" = ? AND "Number" IS NOT NULL ORDER BY "Number" LIMIT ${SLICE}`,
        [workspace],
      ) as { number: number; at: string; seal: string; type: string; id: string | null; event: string | null }[]
      const kept = oldest.findIndex(({ at }) => at >= before)
      const old = kept < 0 ? oldest : oldest.slice(0, kept)
      const last = old.at(-1)
      if (!last) return 0
      piece.run('DELETE FROM "Change" WHERE "Workspace" = ? AND "Number" <= ?', [workspace, last.number])
      piece.run(
        'INSERT INTO "Chain" ("Workspace", "Number", "Seal") VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "Number" = excluded."Number", "Seal" = excluded."Seal"',
        [workspace, last.number, last.seal],
      )
      // What hung on a deleted record stays only as long as a deletion can be undone.
      for (const { type, id, event } of old)
        if (id !== null && event?.endsWith('.deleted') && isGone(piece, workspace, type, id)) removeHanging(piece, workspace, type, id)
      return old.length
    })
  }

  /** Whether a record is not there, and no later deletion of it is kept that could be undone. */
  function isGone({ connection }: Work, workspace: number, type: string, id: string): boolean {
    if (!RECORD_TYPES.some(({ name, hanging }) => name === type && hanging.length > 0)) return false
    const record = `SELECT 1 AS one FROM ${quoted(type)} WHERE "Workspace" = ? AND ${quoted(tableFor(type).id)} = ?`
    const deletion = `SELECT 1 AS one FROM "Change" INDEXED BY "Change_RecordID" WHERE "Workspace" = ? AND "RecordID" = ? AND "EventType" LIKE '%.deleted'`
    return [record, deletion].every((sql) => connection.get(sql, [workspace, id]) === undefined)
  }

  return async ({ keys, changes }: Expiry, signal?: AbortSignal): Promise<number> => {
    let gone = (await inSlices(() => expiredKeys(keys), signal)) + (await inSlices(expiredAllowances, signal))
    if (changes === undefined) return gone
    const workspaces = reading.all('SELECT "Number" AS number FROM "Workspace"', []) as { number: number }[]
    for (const { number } of workspaces) gone += await inSlices(() => oldChanges(number, changes), signal)
    return gone
  }
}
