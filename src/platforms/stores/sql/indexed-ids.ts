import type { Parameter } from './dialect.ts'
import { quoted, type Table } from './tables.ts'

/** Records of a mirror whose index is compared at a time, so that other calls run in between. */
const PAGE = 50

/** Selects the next ids after one: those of the records of a type, and those that its index has. */
export function indexedIds({ name, id }: Table, workspace: number, after: string): { readonly sql: string; readonly bind: readonly Parameter[] } {
  const next = (column: string, from: string) => `SELECT id FROM (SELECT ${column} AS id FROM ${from} AND ${column} > ? ORDER BY ${column} LIMIT ${PAGE}) AS x`
  return {
    sql: `${next(quoted(id), `${quoted(name)} WHERE "Workspace" = ?`)} UNION ${next('"RecordID"', '"SearchRow" WHERE "Workspace" = ? AND "RecordType" = ?')}
      ORDER BY 1 LIMIT ${PAGE}`,
    bind: [workspace, after, workspace, name, after],
  }
}
