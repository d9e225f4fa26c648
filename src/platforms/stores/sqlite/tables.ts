import type { Dialect } from '../sql/dialect.ts'
import { schemaStatements, tablesIn } from '../sql/tables.ts'

const SQLITE: Dialect = {
  types: { text: 'TEXT', real: 'REAL', integer: 'INTEGER', boolean: 'INTEGER' },
  tableOptions: ' STRICT, WITHOUT ROWID',
  nullsLowest: () => '',
  // A unary plus changes nothing but that.
  unled: (column) => `+${column}`,
  same: 'IS',
  differs: 'IS NOT',
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  texts: (values) => JSON.stringify(values),
  lower: (text) => `lower(${text})`,
  position: (text, part) => `instr(${text}, ${part})`,
  never: '0',
  custom: (value) => value,
}

export const TABLES = tablesIn(SQLITE)
export const tableFor = TABLES.of

/**
 * What stands beside the records: workspaces, the counters of summaries, the index of user-defined values, when users or keys
 * last changed, the idempotency keys, who has taken on which work, where each chain of changes begins once older ones were let go, and how
 * much of each allowance is used.
 */
const BESIDE = [
  'CREATE TABLE "Workspace" ("Number" INTEGER PRIMARY KEY, "Name" TEXT NOT NULL UNIQUE, "CreatedDate" TEXT NOT NULL) STRICT',
  'CREATE TABLE "Access" ("Version" INTEGER NOT NULL) STRICT',
  `CREATE TABLE "Rollup" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "Kind" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, "State" TEXT NOT NULL, "Bucket" TEXT NOT NULL, "Count" INTEGER NOT NULL, "Amounts" INTEGER NOT NULL, "High" INTEGER NOT NULL, "Low" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket")) STRICT, WITHOUT ROWID`,
  'CREATE TABLE "CustomValue" ("Workspace" INTEGER NOT NULL, "ObjectID" TEXT NOT NULL, "FieldName" TEXT NOT NULL, "Value" ANY NOT NULL, PRIMARY KEY ("Workspace", "ObjectID", "FieldName")) STRICT, WITHOUT ROWID',
  'CREATE UNIQUE INDEX "Key_Digest" ON "Key" ("Digest")',
  'CREATE TABLE "Once" ("Number" INTEGER PRIMARY KEY, "Run" INTEGER NOT NULL, "Hash" INTEGER NOT NULL, "Workspace" INTEGER NOT NULL, "UserID" TEXT NOT NULL, "Key" TEXT NOT NULL, "Fingerprint" TEXT NOT NULL, "At" TEXT NOT NULL, "State" TEXT NOT NULL, "Answer" TEXT, "ChangeID" TEXT) STRICT',
  'CREATE INDEX "Once_Run" ON "Once" ("Run", "Hash")',
  'CREATE TABLE "Lease" ("Name" TEXT PRIMARY KEY, "Holder" TEXT NOT NULL, "Until" TEXT NOT NULL) STRICT',
  'CREATE TABLE "Chain" ("Workspace" INTEGER PRIMARY KEY, "Number" INTEGER NOT NULL, "Seal" TEXT NOT NULL) STRICT',
  'CREATE TABLE "Allowance" ("Name" TEXT PRIMARY KEY, "Used" INTEGER NOT NULL, "Ends" INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE INDEX "Allowance_Ends" ON "Allowance" ("Ends")',
]

/** The statements that would make today's store from nothing; a test holds the migrations against them. */
export const SCHEMA: readonly string[] = [...schemaStatements(TABLES), ...BESIDE]
