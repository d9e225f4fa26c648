import { type Link, linkAfter, type Unsealed } from '../sql/chain.ts'
import { columnsAs, SEALED } from '../sql/lines.ts'
import { CommitUnknown } from './errors.ts'
import { named } from './journal.ts'
import type { Pool } from './pool.ts'
import { Work } from './work.ts'

/** So many changes get their numbers in one transaction. */
const AT_ONCE = 1_000

/**
 * Gives committed changes their numbers, and seals them.
 *
 * A number taken while a change is being written would not do: who takes the lower one may be the later to commit, and a reader who
 * has seen the higher would never see it. So changes are numbered once they are committed, in the order they arrived, by one at a time:
 * whoever holds the end of the chain. What was committed before another change arrived is seen with it or earlier, so that it gets
 * the lower number.
 */
export function createSequencer(pool: Pool, told: () => void) {
  const running = new Map<number, Promise<void>>()
  const next = new Map<number, Promise<void>>()

  async function sealAll(workspace: number): Promise<void> {
    while ((await sealSome(workspace)) === AT_ONCE);
  }

  async function sealSome(workspace: number): Promise<number> {
    const [waiting] = (await pool.query('SELECT 1 FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL LIMIT 1', [workspace])).rows
    if (!waiting) return 0
    const work = new Work(pool)
    try {
      const [row] = await work.ask('SELECT "HeadNumber", "HeadSeal" FROM "Chain" WHERE "Workspace" = ? FOR UPDATE', [workspace])
      if (!row) throw new Error(`The workspace ${workspace} has no chain.`)
      let head: Link = { number: row[0] as number, seal: row[1] as string }
      const lines = (
        await work.ask(`SELECT ${columnsAs(SEALED)} FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL ORDER BY "Arrived" LIMIT ${AT_ONCE}`, [workspace])
      )
        .map(named(SEALED))
        .map((line) => line as unknown as Unsealed)
      const links = lines.map((line) => {
        head = linkAfter(head, line)
        return head
      })
      if (lines.length > 0) {
        work.run(
          `UPDATE "Change" c SET "Number" = n.number, "Seal" = n.seal FROM unnest(CAST(? AS TEXT[]), CAST(? AS DOUBLE PRECISION[]), CAST(? AS TEXT[])) AS n(id, number, seal)
            WHERE c."Workspace" = ? AND c."ChangeID" = n.id`,
          [lines.map(({ changeId }) => changeId), links.map(({ number }) => String(number)), links.map(({ seal }) => seal), workspace],
        )
        work.run(`UPDATE "Pulse" SET "Version" = "Version" + 1 WHERE "Name" = 'changes'`, [])
        work.run('UPDATE "Chain" SET "HeadNumber" = ?, "HeadSeal" = ? WHERE "Workspace" = ?', [head.number, head.seal, workspace])
      }
      await work.commit()
      if (lines.length > 0) told()
      return lines.length
    } catch (error) {
      await work.rollback()
      // Whether it happened shows at the next look: what has its number is not numbered again.
      if (error instanceof CommitUnknown) return AT_ONCE
      throw error
    }
  }

  /** Resolves once everything that was committed before this was asked for has its number. */
  async function sequence(workspace: number): Promise<void> {
    const current = running.get(workspace)
    if (!current) return begin(workspace)
    // What is under way may have looked already; those who come meanwhile share the one after it.
    let following = next.get(workspace)
    if (!following) {
      following = current
        .catch(() => {})
        .then(() => {
          next.delete(workspace)
          return begin(workspace)
        })
      next.set(workspace, following)
    }
    return following
  }

  function begin(workspace: number): Promise<void> {
    const one = sealAll(workspace).finally(() => running.delete(workspace))
    running.set(workspace, one)
    return one
  }

  return sequence
}
