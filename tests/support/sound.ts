import { expect } from 'vitest'
import { RECORD_TYPES } from '../../src/contract/operations.ts'
import type { AuditReport } from '../../src/platforms/store.ts'
import type { Connection } from '../../src/platforms/stores/sqlite/connection.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { tableFor } from '../../src/platforms/stores/sqlite/tables.ts'
import { audited } from './audited.ts'
import { openDatabase } from './database.ts'
import { recountIn, rollupsIn } from './rollups.ts'

/** Checks all invariants of a SQLite store. Resolves to the audit report of each workspace, by number. */
export async function expectSound(path: string): Promise<Map<number, AuditReport>> {
  const database = await openDatabase(path)
  try {
    expect(database.all('PRAGMA integrity_check', [])).toEqual([{ integrity_check: 'ok' }])
    expect(rollupsIn(database)).toEqual(recountIn(database))
    expect(wrongTotals(database)).toEqual([])
    expect(wrongValues(database)).toEqual([])
    expect(wrongLines(database)).toEqual([])
  } finally {
    database.close()
  }
  return audited(await openSqlite(path))
}

/** Records whose stored totals of attachments are wrong. */
function wrongTotals(database: Connection): unknown[] {
  return RECORD_TYPES.flatMap(({ name, id, children }) =>
    children.flatMap(({ total, type }) => {
      const field = tableFor(type).record.childOf?.field
      const count = `(SELECT COUNT(*) FROM "${type}" h WHERE h."Workspace" = r."Workspace" AND h."${field}" = r."${id}")`
      return database.all(`SELECT "${id}", "${total}", ${count} AS counted FROM "${name}" r WHERE "${total}" <> ${count}`, [])
    }),
  )
}

/** Custom objects whose values differ from their index. */
function wrongValues(database: Connection): unknown[] {
  return database.all(
    `SELECT o."ObjectID" FROM "CustomObject" o
      WHERE (SELECT COUNT(*) FROM json_each(o."Values")) <> (SELECT COUNT(*) FROM "CustomValue" v WHERE v."Workspace" = o."Workspace" AND v."ObjectID" = o."ObjectID")
      UNION ALL SELECT v."ObjectID" FROM "CustomValue" v WHERE NOT EXISTS (SELECT 1 FROM "CustomObject" o WHERE o."Workspace" = v."Workspace" AND o."ObjectID" = v."ObjectID")`,
    [],
  )
}

/** Committed changes without an event, events of changes that were not committed, and workspaces whose numbers have gaps or duplicates. */
function wrongLines(database: Connection): unknown[] {
  return [
    ...database.all(`SELECT "ChangeID", "Outcome", "EventType" FROM "Change" WHERE ("Outcome" = 'ok') <> ("EventType" IS NOT NULL) OR "Number" IS NULL`, []),
    ...database.all(
      `SELECT c."Workspace", COUNT(*) AS lines, COUNT(DISTINCT c."Number") AS numbers, MIN(c."Number") AS first, MAX(c."Number") AS last
        FROM "Change" c LEFT JOIN "Chain" b ON b."Workspace" = c."Workspace" GROUP BY c."Workspace"
        HAVING lines <> numbers OR first <> 1 + coalesce(b."Number", 0) OR last - first + 1 <> lines`,
      [],
    ),
    ...database.all(
      `SELECT o."Key", o."ChangeID" FROM "Once" o LEFT JOIN "Change" c ON c."Workspace" = o."Workspace" AND c."ChangeID" = o."ChangeID"
        WHERE o."ChangeID" IS NOT NULL AND c."IdempotencyKey" IS NOT o."Key" AND NOT EXISTS (SELECT 1 FROM "Chain" b WHERE b."Workspace" = o."Workspace")`,
      [],
    ),
  ]
}
