import { RECORD_TYPES } from '../../../contract/operations.ts'
import type { Expiry } from '../../store.ts'
import { forgetOwners } from '../sql/line-owners.ts'
import { inSlices, SLICE } from '../sql/slices.ts'
import { quoted } from '../sql/tables.ts'
import { workspacesIn } from '../sql/workspaces.ts'
import { removeChildren } from './journal.ts'
import type { Pool } from './pool.ts'
import { tableFor } from './tables.ts'
import { Work } from './work.ts'

const FORGET_OWNERS = forgetOwners('"RecordID" = ANY(CAST(? AS TEXT[]))')

/** Removes expired idempotency keys, ended rate limits and old changes, oldest first, in small transactions. */
export function createSweep(pool: Pool) {
  const workspacesWith = async (table: string) => (await pool.query(workspacesIn(table))).rows.map(([number]) => number as number)

  async function expiredKeys(workspace: number, before: string): Promise<number> {
    const { count } = await pool.query(
      `DELETE FROM "Once" WHERE "Workspace" = ? AND ("UserID", "Key") IN (SELECT "UserID", "Key" FROM "Once" WHERE "Workspace" = ? AND "At" < ? ORDER BY "At" LIMIT ${SLICE} FOR UPDATE SKIP LOCKED)`,
      [workspace, workspace, before],
    )
    return count
  }

  async function endedRateLimits(): Promise<number> {
    const { count } = await pool.query(
      `DELETE FROM "Allowance" WHERE "Name" IN (SELECT "Name" FROM "Allowance" WHERE "Ends" < now() ORDER BY "Ends" LIMIT ${SLICE} FOR UPDATE SKIP LOCKED)`,
    )
    return count
  }

  /** Locks the chain, since another process may be sweeping too. */
  async function oldChanges(workspace: number, before: string): Promise<number> {
    const work = new Work(pool)
    try {
      await work.ask('SELECT 1 FROM "Chain" WHERE "Workspace" = ? FOR UPDATE', [workspace])
      const oldest = (await work.ask(
        `SELECT "Number", "At", "Seal", "RecordType", "RecordID", "EventType" FROM "Change" WHERE "Workspace" = ? AND "Number" IS NOT NULL ORDER BY "Number" NULLS FIRST LIMIT ${SLICE}`,
        [workspace],
      )) as readonly (readonly [number, string, string, string, string | null, string | null])[]
      const firstRetained = oldest.findIndex(([, at]) => at >= before)
      const old = firstRetained < 0 ? oldest : oldest.slice(0, firstRetained)
      const last = old.at(-1)
      if (last) {
        const [number, , seal] = last
        work.run('DELETE FROM "Change" WHERE "Workspace" = ? AND "Number" <= ?', [workspace, number])
        work.run('UPDATE "Chain" SET "Number" = ?, "Seal" = ? WHERE "Workspace" = ?', [number, seal, workspace])
        work.run(FORGET_OWNERS, [workspace, [...new Set(old.flatMap(([, , , , id]) => id ?? []))]])
        // Child records of a deleted record are retained only as long as the deletion can be undone.
        for (const [, , , type, id, event] of old)
          if (id !== null && event?.endsWith('.deleted') && (await isGone(work, workspace, type, id)))
            removeChildren((sql, bind) => work.run(sql, bind), workspace, type, id)
      }
      await work.commit()
      return old.length
    } catch (error) {
      await work.rollback()
      throw error
    }
  }

  /** Whether a record does not exist, and no later deletion of it can still be undone. */
  async function isGone(work: Work, workspace: number, type: string, id: string): Promise<boolean> {
    if (!RECORD_TYPES.some(({ name, children }) => name === type && children.length > 0)) return false
    const record = `SELECT 1 FROM ${quoted(type)} WHERE "Workspace" = ? AND ${quoted(tableFor(type).id)} = ?`
    const deletion = `SELECT 1 FROM "Change" WHERE "Workspace" = ? AND "RecordID" = ? AND "EventType" LIKE '%.deleted' LIMIT 1`
    return (await work.ask(record, [workspace, id])).length === 0 && (await work.ask(deletion, [workspace, id])).length === 0
  }

  return async ({ keys, changes }: Expiry, signal?: AbortSignal): Promise<number> => {
    let removed = await inSlices(endedRateLimits, signal)
    for (const workspace of await workspacesWith('Once')) removed += await inSlices(() => expiredKeys(workspace, keys), signal)
    if (changes === undefined) return removed
    for (const workspace of await workspacesWith('Change')) removed += await inSlices(() => oldChanges(workspace, changes), signal)
    return removed
  }
}
