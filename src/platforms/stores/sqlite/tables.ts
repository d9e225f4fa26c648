import type { Dialect } from '../sql/dialect.ts'
import { schemaStatements, tablesIn } from '../sql/tables.ts'
import { EXACT } from './connection.ts'
import { SEARCH_TABLES } from './search-tables.ts'

const SQLITE: Dialect = {
  types: { text: 'TEXT', real: 'REAL', integer: 'INTEGER', boolean: 'INTEGER' },
  tableOptions: ' STRICT, WITHOUT ROWID',
  nullsLowest: () => '',
  // A unary plus keeps SQLite from using an index on the column.
  withoutIndex: (column) => `+${column}`,
  same: 'IS',
  differs: 'IS NOT',
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  amongRows: (column, query) => `${column} IN (${query})`,
  texts: (values) => JSON.stringify(values),
  lower: (text) => `lower(${text})`,
  position: (text, part) => `instr(${text}, ${part})`,
  never: '0',
  always: '1',
  has: (list) => `EXISTS (SELECT 1 FROM json_each(${list}) WHERE value = ?)`,
  inJson: (column, path, family) => (family === 'number' ? `${EXACT}(${column} -> '$.${path.join('.')}')` : `json_extract(${column}, '$.${path.join('.')}')`),
  custom: (value) => value,
}

export const TABLES = tablesIn(SQLITE)
export const tableFor = TABLES.of

/** The tables beside those of the record types. */
const OTHER_TABLES = [
  'CREATE UNIQUE INDEX "Workspace_Number" ON "Workspace" ("Number")',
  'CREATE UNIQUE INDEX "Workspace_UniqueName" ON "Workspace" ("Name")',
  // The workspaces that were erased: no number is assigned again, and what late writes have left is erased until then.
  'CREATE TABLE "Erasure" ("Workspace" INTEGER PRIMARY KEY, "Until" TEXT NOT NULL) STRICT',
  // One row: a version that changes whenever a user or API key does.
  'CREATE TABLE "Access" ("Version" INTEGER NOT NULL) STRICT',
  // The counters of summaries; see sql/rollups.ts.
  `CREATE TABLE "Rollup" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "Kind" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, "State" TEXT NOT NULL, "Bucket" TEXT NOT NULL, "Count" INTEGER NOT NULL, "Amounts" INTEGER NOT NULL, "High" INTEGER NOT NULL, "Low" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket")) STRICT, WITHOUT ROWID`,
  // The index of user-defined values: one row per value of a custom object.
  'CREATE TABLE "CustomValue" ("Workspace" INTEGER NOT NULL, "ObjectID" TEXT NOT NULL, "FieldName" TEXT NOT NULL, "Value" ANY NOT NULL, PRIMARY KEY ("Workspace", "ObjectID", "FieldName")) STRICT, WITHOUT ROWID',
  // The index of fields that workspaces have defined: one row per value of an indexed one; see sql/own-index.ts.
  'CREATE TABLE "OwnValue" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "FieldName" TEXT NOT NULL, "Value" ANY NOT NULL, "RecordID" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "FieldName", "Value", "RecordID")) STRICT, WITHOUT ROWID',
  'CREATE UNIQUE INDEX "Key_Digest" ON "Key" ("Digest")',
  // The idempotency keys in the order of their use; see key-index.ts.
  'CREATE TABLE "Once" ("Number" INTEGER PRIMARY KEY, "Run" INTEGER NOT NULL, "Hash" INTEGER NOT NULL, "Workspace" INTEGER NOT NULL, "UserID" TEXT NOT NULL, "Key" TEXT NOT NULL, "Fingerprint" TEXT NOT NULL, "At" TEXT NOT NULL, "State" TEXT NOT NULL, "Answer" TEXT, "ChangeID" TEXT) STRICT',
  'CREATE INDEX "Once_Run" ON "Once" ("Run", "Hash")',
  // The leases of background work: which process holds it, and until when.
  'CREATE TABLE "Lease" ("Name" TEXT PRIMARY KEY, "Holder" TEXT NOT NULL, "Until" TEXT NOT NULL) STRICT',
  // The last removed change of each workspace, which the audit chain now begins after.
  'CREATE TABLE "Chain" ("Workspace" INTEGER PRIMARY KEY, "Number" INTEGER NOT NULL, "Seal" TEXT NOT NULL) STRICT',
  // The present owners of records that were given to another user; see sql/line-owners.ts.
  'CREATE TABLE "RecordOwner" ("Workspace" INTEGER NOT NULL, "RecordID" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordID")) STRICT, WITHOUT ROWID',
  'CREATE INDEX "RecordOwner_OwnerID" ON "RecordOwner" ("Workspace", "OwnerID", "RecordID")',
  // How far background work of a workspace has come; see JournalWriter.position.
  'CREATE TABLE "Position" ("Workspace" INTEGER NOT NULL, "Name" TEXT NOT NULL, "Value" TEXT NOT NULL, PRIMARY KEY ("Workspace", "Name")) STRICT, WITHOUT ROWID',
  // The rate limits: units used in the current window, and when it ends.
  'CREATE TABLE "Allowance" ("Name" TEXT PRIMARY KEY, "Used" INTEGER NOT NULL, "Ends" INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE INDEX "Allowance_Ends" ON "Allowance" ("Ends")',
  // One row: the secret of the store; see Store.secret.
  'CREATE TABLE "Secret" ("Name" TEXT PRIMARY KEY, "Value" TEXT NOT NULL) STRICT, WITHOUT ROWID',
]

/** The statements that create a store of this version; a test compares the result of the migrations with them. */
export const SCHEMA: readonly string[] = [...schemaStatements(TABLES), ...OTHER_TABLES, ...SEARCH_TABLES]
