import { Workspace as Type, type WorkspaceState } from '../../../contract/records/workspace.ts'
import type { StoredRecord } from '../../platform.ts'
import type { Workspace } from '../../store.ts'
import { FIRST_MIRROR } from '../mirror.ts'
import { quoted } from './tables.ts'

const COLUMNS = ['Number', 'Name', 'State', 'CallsPerMinute', 'MaxUsers', 'MaxKeys', 'MaxWebhooks'] as const

export const workspacesSql = (where = '') => `SELECT ${COLUMNS.map(quoted).join(', ')} FROM "Workspace"${where} ORDER BY "Number"`

/** A row of `workspacesSql`. */
export type WorkspaceRow = { readonly [C in (typeof COLUMNS)[number]]: unknown }

export function workspaceOf(row: WorkspaceRow): Workspace {
  const limit = (value: unknown) => value as number | null
  return {
    number: row.Number as number,
    name: row.Name as string,
    state: row.State as WorkspaceState,
    limits: {
      callsPerMinute: limit(row.CallsPerMinute),
      users: limit(row.MaxUsers),
      keys: limit(row.MaxKeys),
      webhooks: limit(row.MaxWebhooks),
    },
  }
}

/** The cells of such a row by name, for a driver that answers with arrays. */
export const namedCells = (cells: readonly unknown[]) => Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i]])) as WorkspaceRow

/** A workspace without limits, as a record. */
export function newWorkspace(name: string, { id, at }: { readonly id: string; readonly at: string }): StoredRecord {
  const empty = Object.fromEntries(Object.keys(Type.fields).map((field) => [field, null]))
  return { ...empty, WorkspaceID: id, Name: name, State: 'active', CreatedDate: at, UpdatedDate: at, Revision: 1 }
}

/** The next number: none is assigned twice, so that nothing cached or written late can belong to two workspaces. */
export const NEXT_NUMBER =
  'SELECT 1 + COALESCE(MAX(n), 0) AS number FROM (SELECT MAX("Number") AS n FROM "Workspace" UNION ALL SELECT MAX("Workspace") FROM "Erasure") numbers'

/** The workspaces and mirrors that have rows in a table whose primary key begins with the workspace: one step into the table for each, however many there are. */
export const workspacesIn = (table: string, where = '') => {
  const least = (after: string) => `SELECT MIN("Workspace") FROM ${quoted(table)} WHERE ${after}${where}`
  return `WITH RECURSIVE w(number) AS (SELECT (${least('"Workspace" > 0')}) UNION ALL SELECT (${least('"Workspace" > w.number')}) FROM w WHERE w.number IS NOT NULL)
    SELECT number FROM w WHERE number IS NOT NULL`
}

/** The same without mirrors. */
export const listedIn = (table: string) => workspacesIn(table, ` AND "Workspace" < ${FIRST_MIRROR}`)

/** How long after its erasure a workspace is looked through again: no call takes as long, nor does a process that was suspended, as a rule. */
export const ERASED_AGAIN_MS = 3_600_000

/** The workspaces whose rows are to be erased: those that are being deleted, and those that were erased so lately that a late write may have left something. */
export const TO_ERASE = `SELECT "Number" AS number, "Name" AS name FROM "Workspace" WHERE "State" = 'deleting' UNION ALL SELECT "Workspace", NULL FROM "Erasure" WHERE "Until" > ?`
