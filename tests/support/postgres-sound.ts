import { expect } from 'vitest'
import { RECORD_TYPES } from '../../src/contract/operations.ts'
import type { AuditReport } from '../../src/platforms/store.ts'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { tableFor } from '../../src/platforms/stores/postgres/tables.ts'
import { CHANGES, contentsOf, expectOnlyAcknowledged, KEYS_SQL, RECORDS } from './acknowledged.ts'
import { audited } from './audited.ts'
import type { Client } from './clients.ts'
import { ask } from './postgres-database.ts'

/** Checks all invariants of a PostgreSQL store. Resolves to the audit report of each workspace, by number. */
export async function expectSoundPostgres(url: string): Promise<Map<number, AuditReport>> {
  const reports = await audited(await openPostgres(url))
  expect(await rollupsIn(url)).toEqual(await recountIn(url))
  for (const sql of [...WRONG_TOTALS, WRONG_VALUES, WRONG_EVENTS, WRONG_NUMBERS, WRONG_KEYS])
    expect({ sql, wrong: await ask(url, sql) }).toEqual({ sql, wrong: [] })
  return reports
}

/** The records, idempotency keys and changes of a store are exactly those acknowledged to the clients. */
export async function expectOnlyAcknowledgedIn(url: string, clients: readonly Client[]): Promise<void> {
  const records = await Promise.all(RECORDS.map((sql) => ask(url, sql)))
  expectOnlyAcknowledged(contentsOf({ kept: await ask(url, KEYS_SQL), changes: await ask(url, CHANGES), records: records.flat() }), clients)
}

const line = (row: Record<string, unknown>) => Object.values(row).join(' | ')

/** The counters of summaries, including deltas not yet folded in. */
async function rollupsIn(url: string): Promise<string[]> {
  const counters = `VALUES ('state', d."OwnerID", d."State", ''), ('month', d."OwnerID", '', d."Month"), ('month', '', '', d."Month"),
    ('due', d."OwnerID", d."State", d."Due"), ('due', '', d."State", d."Due")`
  const rows = await ask(
    url,
    `SELECT w, type, kind, owner, state, bucket, SUM(n) AS n, SUM(amounts) AS amounts, SUM(amount) AS amount FROM (
      SELECT "Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket", "Count", "Amounts", "Amount" FROM "Rollup"
      UNION ALL SELECT d."Workspace", d."RecordType", c.kind, c.owner, c.state, c.bucket, d."Count", d."Amounts", d."Amount"
        FROM "RollupDelta" d CROSS JOIN LATERAL (${counters}) AS c(kind, owner, state, bucket) WHERE c.bucket IS NOT NULL
    ) AS all_of_it(w, type, kind, owner, state, bucket, n, amounts, amount)
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING SUM(n) <> 0 OR SUM(amounts) <> 0 OR SUM(amount) <> 0`,
  )
  return rows.map(line).sort()
}

/** The expected counters, computed from the records. */
async function recountIn(url: string): Promise<string[]> {
  const counts = RECORD_TYPES.flatMap((type) => {
    if (!type.state) return []
    const month = 'substr("CreatedDate", 1, 7)'
    const state = `coalesce("${type.state}", '')`
    const amount = type.amount ? `CAST("${type.amount}" AS NUMERIC)` : 'CAST(NULL AS NUMERIC)'
    const counters = [
      ['state', '"OwnerID"', state, "''"],
      ['month', '"OwnerID"', "''", month],
      ['month', "''", "''", month],
      ...(type.due ? [['due', '"OwnerID"', state, `"${type.due}"`] as const, ['due', "''", state, `"${type.due}"`] as const] : []),
    ]
    return counters.map(
      ([kind, owner, inState, bucket]) =>
        `SELECT "Workspace" AS w, '${type.name}' AS type, '${kind}' AS kind, ${owner} AS owner, ${inState} AS state, ${bucket} AS bucket,
          COUNT(*) AS n, COUNT(${amount}) AS amounts, COALESCE(SUM(ROUND(${amount} * 10000)), 0) AS amount FROM "${type.name}" GROUP BY 1, 2, 3, 4, 5, 6`,
    )
  })
  return (await ask(url, counts.join(' UNION ALL '))).map(line).sort()
}

/** Records whose stored totals of children are wrong. */
const WRONG_TOTALS = RECORD_TYPES.flatMap(({ name, id, children }) =>
  children.map(({ total, type }) => {
    const count = `(SELECT COUNT(*) FROM "${type}" h WHERE h."Workspace" = r."Workspace" AND h."${tableFor(type).record.childOf?.field}" = r."${id}")`
    return `SELECT "${id}", "${total}", ${count} AS counted FROM "${name}" r WHERE "${total}" <> ${count}`
  }),
)

/** Custom objects whose values differ from their index. */
const WRONG_VALUES = `SELECT o."ObjectID" FROM "CustomObject" o
    WHERE (SELECT COUNT(*) FROM json_each(CAST(o."Values" AS JSON)) WHERE value::text <> 'null')
      <> (SELECT COUNT(*) FROM "CustomValue" v WHERE v."Workspace" = o."Workspace" AND v."ObjectID" = o."ObjectID")
  UNION ALL SELECT v."ObjectID" FROM "CustomValue" v WHERE NOT EXISTS (SELECT 1 FROM "CustomObject" o WHERE o."Workspace" = v."Workspace" AND o."ObjectID" = v."ObjectID")`

/** Committed changes without an event, and events of changes that were not committed. */
const WRONG_EVENTS = `SELECT "ChangeID", "Outcome", "EventType" FROM "Change" WHERE ("Outcome" = 'ok') <> ("EventType" IS NOT NULL) OR "Number" IS NULL`

/** Workspaces whose change numbers have gaps, duplicates, or exceed the head of the chain. */
const WRONG_NUMBERS = `SELECT c."Workspace" FROM "Change" c JOIN "Chain" b ON b."Workspace" = c."Workspace" GROUP BY c."Workspace", b."Number", b."HeadNumber"
  HAVING COUNT(*) <> COUNT(DISTINCT c."Number") OR MIN(c."Number") <> 1 + b."Number" OR MAX(c."Number") <> b."HeadNumber" OR MAX(c."Number") - b."Number" <> COUNT(*)`

/** Idempotency keys whose change is missing or belongs to another key. */
const WRONG_KEYS = `SELECT o."Key", o."ChangeID" FROM "Once" o LEFT JOIN "Change" c ON c."Workspace" = o."Workspace" AND c."ChangeID" = o."ChangeID"
  WHERE o."ChangeID" IS NOT NULL AND c."IdempotencyKey" IS DISTINCT FROM o."Key"`
