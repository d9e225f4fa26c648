import type { Dialect } from '../sql/dialect.ts'
import { schemaStatements, tablesIn } from '../sql/tables.ts'
import { SEARCH_TABLES } from './search-tables.ts'
import { sortable } from './sortable.ts'

/** Integers of the contract are JSON numbers, so a condition may compare them with any number. */
const NUMBER = 'DOUBLE PRECISION'
/** Sorts by code point, whatever the database's locale is. */
const TEXT = 'TEXT COLLATE "C"'

const POSTGRES: Dialect = {
  types: { text: TEXT, real: NUMBER, integer: NUMBER, boolean: 'INTEGER' },
  tableOptions: '',
  nullsLowest: (descending) => (descending ? ' NULLS LAST' : ' NULLS FIRST'),
  // The planner has statistics, and chooses the index itself.
  withoutIndex: (column) => column,
  same: 'IS NOT DISTINCT FROM',
  differs: 'IS DISTINCT FROM',
  among: (column) => `${column} = ANY(CAST(? AS TEXT[]))`,
  // As an array, for which the planner always uses the column's index.
  amongRows: (column, query) => `${column} = ANY(ARRAY(${query}))`,
  texts: (values) => values,
  lower: (text) => `lower(${text} COLLATE "C")`,
  position: (text, part) => `strpos(${text}, ${part})`,
  never: 'FALSE',
  always: 'TRUE',
  has: (list) => `jsonb_exists(CAST(${list} AS JSONB), CAST(? AS TEXT))`,
  inJson(column, path, family) {
    const text = `(CAST(${column} AS JSONB) #>> '{${path.join(',')}}')`
    if (family === 'number') return `CAST(${text} AS ${NUMBER})`
    return family === 'boolean' ? `CAST(CAST(${text} AS BOOLEAN) AS INTEGER)` : `(${text} COLLATE "C")`
  },
  custom: sortable,
}

export const TABLES = tablesIn(POSTGRES)
export const tableFor = TABLES.of

/** Numbers rows in the order of insertion. That is not the order of the audit: what is inserted first may be committed last. */
const ARRIVAL = '"Arrived" BIGINT NOT NULL DEFAULT nextval(\'"Arrival"\')'

/** The tables beside those of the record types. */
const OTHER_TABLES = [
  // Changes that the sequencer has not numbered yet.
  `ALTER TABLE "Change" ADD COLUMN ${ARRIVAL}`,
  'CREATE INDEX "Change_Unsealed" ON "Change" ("Workspace", "Arrived") WHERE "Number" IS NULL',
  // The index of user-defined values: one row per value of a custom object.
  `CREATE TABLE "CustomValue" ("Workspace" INTEGER NOT NULL, "ObjectID" ${TEXT} NOT NULL, "FieldName" ${TEXT} NOT NULL, "Value" ${TEXT} NOT NULL, PRIMARY KEY ("Workspace", "ObjectID", "FieldName"))`,
  // The index of fields that workspaces have defined: one row per value of an indexed one; see sql/own-index.ts.
  `CREATE TABLE "OwnValue" ("Workspace" INTEGER NOT NULL, "RecordType" ${TEXT} NOT NULL, "FieldName" ${TEXT} NOT NULL, "Value" ${TEXT} NOT NULL, "RecordID" ${TEXT} NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "FieldName", "Value", "RecordID"))`,
  // The counters of summaries; see sql/rollups.ts.
  `CREATE TABLE "Rollup" ("Workspace" INTEGER NOT NULL, "RecordType" ${TEXT} NOT NULL, "Kind" ${TEXT} NOT NULL, "OwnerID" ${TEXT} NOT NULL, "State" ${TEXT} NOT NULL, "Bucket" ${TEXT} NOT NULL, "Count" BIGINT NOT NULL, "Amounts" BIGINT NOT NULL, "Amount" NUMERIC NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket"))`,
  // What is still to be added to the counters; see rollups.ts.
  `CREATE TABLE "RollupDelta" ("Workspace" INTEGER NOT NULL, ${ARRIVAL}, "RecordType" ${TEXT} NOT NULL, "OwnerID" ${TEXT} NOT NULL, "State" ${TEXT} NOT NULL, "Month" ${TEXT} NOT NULL, "Due" ${TEXT}, "Count" BIGINT NOT NULL, "Amounts" BIGINT NOT NULL, "Amount" NUMERIC NOT NULL, PRIMARY KEY ("Workspace", "Arrived"))`,
  // The idempotency keys.
  `CREATE TABLE "Once" ("Workspace" INTEGER NOT NULL, "UserID" ${TEXT} NOT NULL, "Key" ${TEXT} NOT NULL, "Fingerprint" ${TEXT} NOT NULL, "At" ${TEXT} NOT NULL, "State" ${TEXT} NOT NULL, "Answer" ${TEXT}, "ChangeID" ${TEXT}, PRIMARY KEY ("Workspace", "UserID", "Key"))`,
  'CREATE INDEX "Once_At" ON "Once" ("Workspace", "At")',
  // Both ends of each workspace's audit chain: the last removed change, and the newest numbered one.
  `CREATE TABLE "Chain" ("Workspace" INTEGER PRIMARY KEY, "Number" ${NUMBER} NOT NULL DEFAULT 0, "Seal" ${TEXT} NOT NULL DEFAULT '', "HeadNumber" ${NUMBER} NOT NULL DEFAULT 0, "HeadSeal" ${TEXT} NOT NULL DEFAULT '')`,
  // The present owners of records that were given to another user; see sql/line-owners.ts.
  `CREATE TABLE "RecordOwner" ("Workspace" INTEGER NOT NULL, "RecordID" ${TEXT} NOT NULL, "OwnerID" ${TEXT} NOT NULL, PRIMARY KEY ("Workspace", "RecordID"))`,
  'CREATE INDEX "RecordOwner_OwnerID" ON "RecordOwner" ("Workspace", "OwnerID", "RecordID")',
  'CREATE UNIQUE INDEX "Workspace_Number" ON "Workspace" ("Number")',
  'CREATE UNIQUE INDEX "Workspace_UniqueName" ON "Workspace" ("Name")',
  // The workspaces that were erased: no number is assigned again, and what late writes have left is erased until then.
  `CREATE TABLE "Erasure" ("Workspace" INTEGER PRIMARY KEY, "Until" ${TEXT} NOT NULL)`,
  // The workspace of each API key, by the key's digest.
  `CREATE TABLE "KeyPlace" ("Digest" ${TEXT} PRIMARY KEY, "Workspace" INTEGER NOT NULL, "KeyID" ${TEXT} NOT NULL)`,
  // The leases of background work: which process holds it, and until when.
  `CREATE TABLE "Lease" ("Name" ${TEXT} PRIMARY KEY, "Holder" ${TEXT} NOT NULL, "Until" TIMESTAMP WITH TIME ZONE NOT NULL)`,
  // How far background work of a workspace has come; see JournalWriter.position.
  `CREATE TABLE "Position" ("Workspace" INTEGER NOT NULL, "Name" ${TEXT} NOT NULL, "Value" ${TEXT} NOT NULL, PRIMARY KEY ("Workspace", "Name"))`,
  // The rate limits: units used in the current window, and when it ends.
  `CREATE TABLE "Allowance" ("Name" ${TEXT} PRIMARY KEY, "Used" BIGINT NOT NULL, "Ends" TIMESTAMP WITH TIME ZONE NOT NULL)`,
  'CREATE INDEX "Allowance_Ends" ON "Allowance" ("Ends")',
  // Version counters that heartbeat.ts polls: of users and API keys, and of changes. The table name Pulse is frozen by the first migration.
  `CREATE TABLE "Pulse" ("Name" ${TEXT} PRIMARY KEY, "Version" BIGINT NOT NULL)`,
  `INSERT INTO "Pulse" VALUES ('access', 1), ('changes', 1)`,
  // One row: the secret of the store; see Store.secret.
  `CREATE TABLE "Secret" ("Name" ${TEXT} PRIMARY KEY, "Value" ${TEXT} NOT NULL)`,
]

/** The statements that create a store of this version; a test compares the result of the migrations with them. */
export const SCHEMA: readonly string[] = ['CREATE SEQUENCE "Arrival"', ...schemaStatements(TABLES), ...OTHER_TABLES, ...SEARCH_TABLES]
