import { Workspace } from '../../../contract/records/workspace.ts'
import type { Store } from '../../store.ts'
import { withMirror } from '../mirror.ts'
import { inSlices, SLICE } from '../sql/slices.ts'
import { quoted } from '../sql/tables.ts'
import { ERASED_AGAIN_MS } from '../sql/workspaces.ts'
import type { Connection } from './connection.ts'
import { RELEASED } from './key-index.ts'
import { eraseFromIndex } from './search-index.ts'
import { TABLES } from './tables.ts'
import type { Work } from './work.ts'

/** The tables whose rows belong to a workspace, with what their primary keys have beside it. */
const PLAIN: readonly (readonly [table: string, keys: string])[] = [
  // First, so that nothing is indexed any more.
  ['SearchQueue', '"RecordType", "RecordID"'],
  ['SearchFill', '"RecordType"'],
  ...TABLES.all.filter(({ name }) => name !== Workspace.name).map(({ name, id }) => [name, quoted(id)] as const),
  ['CustomValue', '"ObjectID", "FieldName"'],
  ['OwnValue', '"RecordType", "FieldName", "Value", "RecordID"'],
  ['Rollup', '"RecordType", "Kind", "OwnerID", "State", "Bucket"'],
  ['RecordOwner', '"RecordID"'],
  ['Position', '"Name"'],
]

/** How many idempotency keys are looked through at once: they have no index by workspace. */
const KEYS = 10_000

export function createErasure(reading: Connection, transaction: <T>(work: (piece: Work) => T) => Promise<T>): Pick<Store, 'eraseRows' | 'endErasure'> {
  const plain = (workspace: number, table: string, keys: string) => () =>
    transaction((piece) =>
      piece.run(
        `DELETE FROM ${quoted(table)} WHERE "Workspace" = ?1 AND (${keys}) IN (SELECT ${keys} FROM ${quoted(table)} WHERE "Workspace" = ?1 LIMIT ${SLICE})`,
        [workspace],
      ),
    )

  const indexed = (workspace: number) => () =>
    transaction((piece) => {
      const rows = piece.connection.all(`SELECT "RecordType" AS type, "RecordID" AS id FROM "SearchRow" WHERE "Workspace" = ? LIMIT ${SLICE}`, [workspace])
      for (const { type, id } of rows as { type: string; id: string }[]) eraseFromIndex(piece, workspace, type, id)
      return rows.length
    })

  /** The newest key stays as an empty row: its number must not be assigned again. */
  async function eraseKeys(workspace: number, signal: AbortSignal | undefined): Promise<void> {
    const { first, last } = reading.get('SELECT MIN("Number") AS first, MAX("Number") AS last FROM "Once"', []) as { first: number | null; last: number | null }
    for (let from = first ?? 1; from <= (last ?? 0) && !signal?.aborted; from += KEYS) {
      const range = [workspace, from, from + KEYS - 1]
      if (!reading.get('SELECT 1 AS one FROM "Once" WHERE "Workspace" = ? AND "Number" BETWEEN ? AND ? LIMIT 1', range)) continue
      await transaction((piece) => {
        piece.run('DELETE FROM "Once" WHERE "Workspace" = ? AND "Number" BETWEEN ? AND ? AND "Number" < (SELECT MAX("Number") FROM "Once")', range)
        piece.run(
          `UPDATE "Once" SET "Workspace" = 0, "UserID" = '', "Key" = '', "Fingerprint" = '', "Hash" = 0, "State" = '${RELEASED}', "Answer" = NULL, "ChangeID" = NULL WHERE "Workspace" = ? AND "Number" BETWEEN ? AND ?`,
          range,
        )
      })
    }
  }

  async function eraseTables(workspace: number, signal: AbortSignal | undefined): Promise<number> {
    let erased = 0
    for (const [table, keys] of PLAIN) {
      const has = reading.get(`SELECT 1 AS one FROM ${quoted(table)} WHERE "Workspace" = ? LIMIT 1`, [workspace])
      if (has) erased += await inSlices(plain(workspace, table, keys), signal)
    }
    return erased + (await inSlices(indexed(workspace), signal))
  }

  return {
    async eraseRows(workspace, signal) {
      let erased = 0
      for (const number of withMirror(workspace)) erased += await eraseTables(number, signal)
      await eraseKeys(workspace, signal)
      if (signal?.aborted) return
      await transaction((piece) => {
        piece.run('DELETE FROM "Chain" WHERE "Workspace" = ?', [workspace])
        piece.run(`DELETE FROM "Lease" WHERE "Name" LIKE 'record ' || ? || ' %'`, [workspace])
        piece.run(`DELETE FROM "Allowance" WHERE "Name" = 'workspace ' || ?1 OR "Name" LIKE ?1 || '/%'`, [workspace])
        // Truncates the log, which still has what was erased.
        piece.erased = erased > 0
      })
    },

    endErasure: (workspace) =>
      transaction((piece) => {
        piece.run(`DELETE FROM "Workspace" WHERE "Number" = ? AND "State" = 'deleting'`, [workspace])
        const until = new Date(Date.now() + ERASED_AGAIN_MS).toISOString()
        piece.run('INSERT INTO "Erasure" ("Workspace", "Until") VALUES (?, ?) ON CONFLICT DO NOTHING', [workspace, until])
        piece.run('UPDATE "Access" SET "Version" = "Version" + 1', [])
        piece.access = piece.erased = true
      }),
  }
}
