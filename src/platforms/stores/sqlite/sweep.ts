import { RECORD_TYPES } from '../../../contract/operations.ts'
import type { Expiry } from '../../store.ts'
import { forgetOwners } from '../sql/line-owners.ts'
import { inSlices, SLICE } from '../sql/slices.ts'
import { quoted } from '../sql/tables.ts'
import { workspacesIn } from '../sql/workspaces.ts'
import type { Connection } from './connection.ts'
import { removeChildren } from './journal.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

const FORGET_OWNERS = forgetOwners('"RecordID" IN (SELECT value FROM json_each(?))')

/** Removes expired idempotency keys, ended rate limits and old changes, oldest first, in small transactions. */
export function createSweep(reading: Connection, transaction: <T>(work: (piece: Work) => T) => Promise<T>) {
  /** The newest key is never removed: its number must not be assigned again. */
  function expiredKeys(before: string): Promise<number> {
    return transaction((piece) =>
      piece.run(
        `DELETE FROM "Once" WHERE "Number" IN (SELECT "Number" FROM "Once" ORDER BY "Number" LIMIT ${SLICE}) AND "At" < ? AND "Number" < (SELECT MAX("Number") FROM "Once")`,
        [before],
      ),
    )
  }

  function endedRateLimits(): Promise<number> {
    return transaction((piece) =>
      piece.run(`DELETE FROM "Allowance" WHERE "Name" IN (SELECT "Name" FROM "Allowance" WHERE "Ends" < ? ORDER BY "Ends" LIMIT ${SLICE})`, [Date.now()]),
    )
  }

  /** Reads and removes in one transaction, since another process may be sweeping too. */
  function oldChanges(workspace: number, before: string): Promise<number> {
    return transaction((piece) => {
      const oldest = piece.connection.all(
        `SELECT "Number" AS number, "At" AS at, "Seal" AS seal, "RecordType" AS type, "RecordID" AS id, "EventType" AS event FROM "Change" INDEXED BY "Change_Number"
          WHERE "Workspace" = ? AND "Number" IS NOT NULL ORDER BY "Number" LIMIT ${SLICE}`,
        [workspace],
      ) as { number: number; at: string; seal: string; type: string; id: string | null; event: string | null }[]
      const firstRetained = oldest.findIndex(({ at }) => at >= before)
      const old = firstRetained < 0 ? oldest : oldest.slice(0, firstRetained)
      const last = old.at(-1)
      if (!last) return 0
      piece.run('DELETE FROM "Change" WHERE "Workspace" = ? AND "Number" <= ?', [workspace, last.number])
      piece.run(
        'INSERT INTO "Chain" ("Workspace", "Number", "Seal") VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "Number" = excluded."Number", "Seal" = excluded."Seal"',
        [workspace, last.number, last.seal],
      )
      piece.run(FORGET_OWNERS, [workspace, JSON.stringify([...new Set(old.map(({ id }) => id))])])
      // Child records of a deleted record are retained only as long as the deletion can be undone.
      for (const { type, id, event } of old)
        if (id !== null && event?.endsWith('.deleted') && isGone(piece, workspace, type, id)) removeChildren(piece, workspace, type, id)
      return old.length
    })
  }

  /** Whether a record does not exist, and no later deletion of it can still be undone. */
  function isGone({ connection }: Work, workspace: number, type: string, id: string): boolean {
    if (!RECORD_TYPES.some(({ name, children }) => name === type && children.length > 0)) return false
    const record = `SELECT 1 AS one FROM ${quoted(type)} WHERE "Workspace" = ? AND ${quoted(tableFor(type).id)} = ?`
    const deletion = `SELECT 1 AS one FROM "Change" INDEXED BY "Change_RecordID" WHERE "Workspace" = ? AND "RecordID" = ? AND "EventType" LIKE '%.deleted'`
    return [record, deletion].every((sql) => connection.get(sql, [workspace, id]) === undefined)
  }

  return async ({ keys, changes }: Expiry, signal?: AbortSignal): Promise<number> => {
    let removed = (await inSlices(() => expiredKeys(keys), signal)) + (await inSlices(endedRateLimits, signal))
    if (changes === undefined) return removed
    const workspaces = reading.all(workspacesIn('Change'), []) as { number: number }[]
    for (const { number } of workspaces) removed += await inSlices(() => oldChanges(number, changes), signal)
    return removed
  }
}
