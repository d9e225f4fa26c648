import { Workspace } from '../../../contract/records/workspace.ts'
import type { Store } from '../../store.ts'
import { withMirror } from '../mirror.ts'
import { inSlices, SLICE } from '../sql/slices.ts'
import { quoted } from '../sql/tables.ts'
import { ERASED_AGAIN_MS } from '../sql/workspaces.ts'
import type { Pool } from './pool.ts'
import { TABLES } from './tables.ts'
import { Work } from './work.ts'

/** The tables whose rows belong to a workspace. The queues are first, so that nothing is indexed or counted any more; the chain is last. */
const ERASED = [
  'SearchQueue',
  'SearchFill',
  'KeyPlace',
  ...TABLES.all.map(({ name }) => name).filter((name) => name !== Workspace.name),
  'CustomValue',
  'OwnValue',
  'RollupDelta',
  'Rollup',
  'RecordOwner',
  'Position',
  'Once',
  'SearchRow',
  'SearchBlock',
  'Chain',
]

const eraseSql = (table: string) =>
  `DELETE FROM ${quoted(table)} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${quoted(table)} WHERE "Workspace" = ? LIMIT ${SLICE} FOR UPDATE SKIP LOCKED))`

export function createErasure(
  background: Pool,
  pool: Pool,
  committed: (work: { readonly access: boolean; readonly changes: boolean }) => void,
): Pick<Store, 'eraseRows' | 'endErasure'> {
  return {
    async eraseRows(workspace, signal) {
      for (const number of withMirror(workspace))
        for (const table of ERASED) await inSlices(async () => (await background.query(eraseSql(table), [number])).count, signal)
      if (signal?.aborted) return
      await background.query(`DELETE FROM "Lease" WHERE "Name" LIKE ?`, [`record ${workspace} %`])
      await background.query(`DELETE FROM "Allowance" WHERE "Name" = ? OR "Name" LIKE ?`, [`workspace ${workspace}`, `${workspace}/%`])
    },

    async endErasure(workspace) {
      const work = new Work(pool)
      work.run(`DELETE FROM "Workspace" WHERE "Number" = ? AND "State" = 'deleting'`, [workspace])
      const until = new Date(Date.now() + ERASED_AGAIN_MS).toISOString()
      work.run('INSERT INTO "Erasure" ("Workspace", "Until") VALUES (?, ?) ON CONFLICT DO NOTHING', [workspace, until])
      work.run(`UPDATE "Pulse" SET "Version" = "Version" + 1 WHERE "Name" = 'access'`, [])
      await work.commit()
      committed({ access: true, changes: false })
    },
  }
}
