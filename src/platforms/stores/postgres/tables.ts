import type { Dialect } from '../sql/dialect.ts'
import { schemaStatements, tablesIn } from '../sql/tables.ts'
import { sortable } from './sortable.ts'

/** The contract's whole numbers are JSON's, so that any number may be compared with them. */
const NUMBER = 'DOUBLE PRECISION'
/** Text that sorts by code point, whatever the database's own language is. */
const TEXT = 'TEXT COLLATE "C"'

const POSTGRES: Dialect = {
  types: { text: TEXT, real: NUMBER, integer: NUMBER, boolean: 'INTEGER' },
  tableOptions: '',
  nullsLowest: (descending) => (descending ? ' NULLS LAST' : ' NULLS FIRST'),
  // PostgreSQL knows how often each value occurs, and is left to choose.
  unled: (column) => column,
  same: 'IS NOT DISTINCT FROM',
  differs: 'IS DISTINCT FROM',
  among: (column) => `${column} = ANY(CAST(? AS TEXT[]))`,
  texts: (values) => values,
  lower: (text) => `lower(${text} COLLATE "C")`,
  position: (text, part) => `strpos(${text}, ${part})`,
  never: 'FALSE',
  custom: sortable,
}

export const TABLES = tablesIn(POSTGRES)
export const tableFor = TABLES.of

/** Numbers in the order things arrive: no place in any chain, since what arrives first may be committed last. */
const ARRIVAL = '"Arrived" BIGINT NOT NULL DEFAULT nextval(\'"Arrival"\')'

/**
 * What stands beside the records. By workspace: the index of user-defined values, counters and what is to be added to them, the
 * idempotency keys, and both ends of each chain of changes. For all of them together: the workspaces, where each key lives, who has
 * taken on which work, how much of each allowance is used, and what has changed of late.
 */
const BESIDE = [
  `ALTER TABLE "Change" ADD COLUMN ${ARRIVAL}`,
  'CREATE INDEX "Change_Unsealed" ON "Change" ("Workspace", "Arrived") WHERE "Number" IS NULL',
  `CREATE TABLE "CustomValue" ("Workspace" INTEGER NOT NULL, "ObjectID" ${TEXT} NOT NULL, "FieldName" ${TEXT} NOT NULL, "Value" ${TEXT} NOT NULL, PRIMARY KEY ("Workspace", "ObjectID", "FieldName"))`,
  `CREATE TABLE "Rollup" ("Workspace" INTEGER NOT NULL, "RecordType" ${TEXT} NOT NULL, "Kind" ${TEXT} NOT NULL, "OwnerID" ${TEXT} NOT NULL, "State" ${TEXT} NOT NULL, "Bucket" ${TEXT} NOT NULL, "Count" BIGINT NOT NULL, "Amounts" BIGINT NOT NULL, "Amount" NUMERIC NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket"))`,
  `CREATE TABLE "RollupDelta" ("Workspace" INTEGER NOT NULL, ${ARRIVAL}, "RecordType" ${TEXT} NOT NULL, "OwnerID" ${TEXT} NOT NULL, "State" ${TEXT} NOT NULL, "Month" ${TEXT} NOT NULL, "Due" ${TEXT}, "Count" BIGINT NOT NULL, "Amounts" BIGINT NOT NULL, "Amount" NUMERIC NOT NULL, PRIMARY KEY ("Workspace", "Arrived"))`,
  `CREATE TABLE "Once" ("Workspace" INTEGER NOT NULL, "UserID" ${TEXT} NOT NULL, "Key" ${TEXT} NOT NULL, "Fingerprint" ${TEXT} NOT NULL, "At" ${TEXT} NOT NULL, "State" ${TEXT} NOT NULL, "Answer" ${TEXT}, "ChangeID" ${TEXT}, PRIMARY KEY ("Workspace", "UserID", "Key"))`,
  'CREATE INDEX "Once_At" ON "Once" ("Workspace", "At")',
  `CREATE TABLE "Chain" ("Workspace" INTEGER PRIMARY KEY, "Number" ${NUMBER} NOT NULL DEFAULT 0, "Seal" ${TEXT} NOT NULL DEFAULT '', "HeadNumber" ${NUMBER} NOT NULL DEFAULT 0, "HeadSeal" ${TEXT} NOT NULL DEFAULT '')`,
  `CREATE TABLE "Workspace" ("Number" INTEGER PRIMARY KEY, "Name" ${TEXT} NOT NULL UNIQUE, "CreatedDate" ${TEXT} NOT NULL)`,
  `CREATE TABLE "KeyPlace" ("Digest" ${TEXT} PRIMARY KEY, "Workspace" INTEGER NOT NULL, "KeyID" ${TEXT} NOT NULL)`,
  `CREATE TABLE "Lease" ("Name" ${TEXT} PRIMARY KEY, "Holder" ${TEXT} NOT NULL, "Until" TIMESTAMP WITH TIME ZONE NOT NULL)`,
  `CREATE TABLE "Allowance" ("Name" ${TEXT} PRIMARY KEY, "Used" BIGINT NOT NULL, "Ends" TIMESTAMP WITH TIME ZONE NOT NULL)`,
  'CREATE INDEX "Allowance_Ends" ON "Allowance" ("Ends")',
  `CREATE TABLE "Pulse" ("Name" ${TEXT} PRIMARY KEY, "Version" BIGINT NOT NULL)`,
  `INSERT INTO "Pulse" VALUES ('access', 1), ('changes', 1)`,
]

/** The statements that would make today's store from nothing; a test holds the migrations against them. */
export const SCHEMA: readonly string[] = ['CREATE SEQUENCE "Arrival"', ...schemaStatements(TABLES), ...BESIDE]
