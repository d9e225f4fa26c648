import { RECORD_TYPES } from '../../../contract/operations.ts'
import type { Expiry } from '../../store.ts'
import { inSlices, SLICE } from '../sql/slices.ts'
import { quoted } from '../sql/tables.ts'
import { removeHanging } from './journal.ts'
import type { Pool } from './pool.ts'
import { tableFor } from './tables.ts'
import { Work } from './work.ts'

/** Lets go of expired keys and allowances, and of old changes, oldest first, one slice after the other. */
export function createSweep(pool: Pool, workspaces: () => Promise<readonly number[]>) {
  async function expiredKeys(workspace: number, before: string): Promise<number> {
    const { count } = await pool.query(
      `DELETE FROM "Once" WHERE "Workspace" = ? AND ("UserID", "Key") IN (SELECT "UserID", "Key" FROM "Once" WHERE "Workspace" = ? AND "At" < ? ORDER BY "At" LIMIT ${SLICE} FOR UPDATE SKIP LOCKED)`,
      [workspace, workspace, before],
    )
    return count
  }

  async function expiredAllowances(): Promise<number> {
    const { count } = await pool.query(
      `DELETE FROM "Allowance" WHERE "Name" IN (SELECT "Name" FROM "Allowance" WHERE "Ends" < now() ORDER BY "Ends" LIMIT ${SLICE} FOR UPDATE SKIP LOCKED)`,
    )
    return count
  }

  /** Whoever holds the chain lets go of its beginning: another process may be sweeping too. */
  async function oldChanges(workspace: number, before: string): Promise<number> {
    const work = new Work(pool)
    try {
      await work.ask('SELECT 1 FROM "Chain" WHERE "Workspace" = ? FOR UPDATE', [workspace])
      const oldest = (await work.ask(
        `SELECT "Number", "At", "Seal", "RecordType", "RecordID", "EventType" FROM "Change" WHERE "Workspace" = ? AND "Number" IS NOT NULL ORDER BY "Number" NULLS FIRST LIMIT ${SLICE}`,
        [workspace],
      )) as readonly (readonly [number, string, string, string, string | null, string | null])[]
      const kept = oldest.findIndex(([, at]) => at >= before)
      const old = kept < 0 ? oldest : oldest.slice(0, kept)
      const last = old.at(-1)
      if (last) {
        const [number, , seal] = last
        work.run('DELETE FROM "Change" WHERE "Workspace" = ? AND "Number" <= ?', [workspace, number])
        work.run('UPDATE "Chain" SET "Number" = ?, "Seal" = ? WHERE "Workspace" = ?', [number, seal, workspace])
        // What hung on a deleted record stays only as long as a deletion can be undone.
        for (const [, , , type, id, event] of old)
          if (id !== null && event?.endsWith('.deleted') && (await isGone(work, workspace, type, id)))
            removeHanging((sql, bind) => work.run(sql, bind), workspace, type, id)
      }
      await work.commit()
      return old.length
    } catch (error) {
      await work.rollback()
      throw error
    }
  }

  /** Whether a record is not there, and no later deletion of it is kept that could be undone. */
  async function isGone(work: Work, workspace: number, type: string, id: string): Promise<boolean> {
    if (!RECORD_TYPES.some(({ name, hanging }) => name === type && hanging.length > 0)) return false
    const record = `SELECT 1 FROM ${quoted(type)} WHERE "Workspace" = ? AND ${quoted(tableFor(type).id)} = ?`
    const deletion = `SELECT 1 FROM "Change" WHERE "Workspace" = ? AND "RecordID" = ? AND "EventType" LIKE '%.deleted' LIMIT 1`
    return (await work.ask(record, [workspace, id])).length === 0 && (await work.ask(deletion, [workspace, id])).length === 0
  }

  return async ({ keys, changes }: Expiry, signal?: AbortSignal): Promise<number> => {
    let gone = await inSlices(expiredAllowances, signal)
    for (const workspace of await workspaces()) {
      gone += await inSlices(() => expiredKeys(workspace, keys), signal)
      if (changes !== undefined) gone += await inSlices(() => oldChanges(workspace, changes), signal)
    }
    return gone
  }
}
