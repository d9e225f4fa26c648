import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '../../../helpers/backoff.ts'
import { columnsAs, SEALED } from '../sql/audit-columns.ts'
import { type Link, linkAfter, type Unsealed } from '../sql/chain.ts'
import { CommitUnknown, LOCK_TIMEOUT, stateOf } from './errors.ts'
import { named, type Pool } from './pool.ts'
import { Work } from './work.ts'

/** How many changes are numbered in one transaction. */
const AT_ONCE = 1_000
/** How long a connection waits for the lock on a chain. Then another workspace has it, and this one tries again. */
const LOCK_MS = 100
const BACKOFF = { firstMs: 20, longestMs: 500 }

/**
 * Gives committed changes their numbers, and seals them.
 *
 * Numbers are not taken while a change is being written: the transaction with the lower number might commit later, and a reader that has
 * seen the higher number would never see it. So changes are numbered once they are committed, in the order they arrived, by the process that holds
 * the lock on the head of the chain. A change that was committed before another arrived is seen with it or earlier, and gets the lower
 * number.
 */
export function createSequencer(pool: Pool, waitMs: number, signal: AbortSignal, numbered: (workspace: number) => void) {
  const running = new Map<number, Promise<void>>()
  const next = new Map<number, Promise<void>>()

  /** Waiting for a lock, it holds no connection: workspaces whose chains are locked hold up no other. */
  async function sealAll(workspace: number): Promise<void> {
    const deadline = performance.now() + waitMs
    for (let failures = 0; ; ) {
      try {
        if ((await sealSome(workspace)) < AT_ONCE) return
        failures = 0
      } catch (error) {
        if (stateOf(error) !== LOCK_TIMEOUT || performance.now() > deadline) throw error
        await pause(backoffMs(++failures, BACKOFF), undefined, { signal })
      }
    }
  }

  async function sealSome(workspace: number): Promise<number> {
    const [waiting] = (await pool.query('SELECT 1 FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL LIMIT 1', [workspace])).rows
    if (!waiting) return 0
    const work = new Work(pool)
    try {
      work.run(`SET LOCAL lock_timeout = ${LOCK_MS}`, [])
      const [row] = await work.ask('SELECT "HeadNumber", "HeadSeal" FROM "Chain" WHERE "Workspace" = ? FOR UPDATE', [workspace])
      if (!row) throw new Error(`The workspace ${workspace} has no chain.`)
      let head: Link = { number: row[0] as number, seal: row[1] as string }
      const lines = (
        await work.ask(`SELECT ${columnsAs(SEALED)} FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL ORDER BY "Arrived" LIMIT ${AT_ONCE}`, [workspace])
      )
        .map(named(SEALED))
        .map((line) => line as unknown as Unsealed)
      const links = lines.map((line) => {
        head = linkAfter(head, line, workspace)
        return head
      })
      if (lines.length > 0) {
        work.run(
          `UPDATE "Change" c SET "Number" = n.number, "Seal" = n.seal FROM unnest(CAST(? AS TEXT[]), CAST(? AS DOUBLE PRECISION[]), CAST(? AS TEXT[])) AS n(id, number, seal)
            WHERE c."Workspace" = ? AND c."ChangeID" = n.id`,
          [lines.map(({ changeId }) => changeId), links.map(({ number }) => String(number)), links.map(({ seal }) => seal), workspace],
        )
        work.run('UPDATE "Chain" SET "HeadNumber" = ?, "HeadSeal" = ? WHERE "Workspace" = ?', [head.number, head.seal, workspace])
        // All workspaces share this row, so that its lock is taken last.
        work.run(`UPDATE "Pulse" SET "Version" = "Version" + 1 WHERE "Name" = 'changes'`, [])
      }
      await work.commit()
      if (lines.length > 0) numbered(workspace)
      return lines.length
    } catch (error) {
      await work.rollback()
      // Whether it was committed shows in the next round: what has a number is not numbered again.
      if (error instanceof CommitUnknown) return AT_ONCE
      throw error
    }
  }

  /** Resolves once everything that was committed before the call has its number. */
  async function sequence(workspace: number): Promise<void> {
    const current = running.get(workspace)
    if (!current) return begin(workspace)
    // The run under way may have read already; calls made meanwhile share the one after it.
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
    const run = sealAll(workspace).finally(() => running.delete(workspace))
    running.set(workspace, run)
    return run
  }

  return sequence
}
