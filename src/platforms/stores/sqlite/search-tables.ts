import { SEARCHED_TYPES } from '../../../contract/search.ts'

/**
 * What a search needs beside the records. "SearchQueue" has the records that were written since they were indexed, "SearchFill" how far a backfill of older ones
 * has come, "SearchRow" the words that each record is indexed by, and "SearchIndex" finds rows of it by parts of their words.
 */
export const SEARCH_TABLES: readonly string[] = [
  'CREATE TABLE "SearchQueue" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "RecordID" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "RecordID")) STRICT, WITHOUT ROWID',
  'CREATE TABLE "SearchFill" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "Before" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordType")) STRICT, WITHOUT ROWID',
  'CREATE TABLE "SearchRow" ("Row" INTEGER PRIMARY KEY, "Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "RecordID" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, "Words" TEXT NOT NULL, "Places" TEXT) STRICT',
  'CREATE UNIQUE INDEX "SearchRow_RecordID" ON "SearchRow" ("Workspace", "RecordType", "RecordID")',
  `CREATE VIRTUAL TABLE "SearchIndex" USING fts5("Grams", content='', columnsize=0, detail=none, tokenize='ascii')`,
]

/** The tables that FTS5 makes for itself. */
export const SHADOW_TABLES: readonly { readonly name: string; readonly sql: string }[] = [
  { name: 'SearchIndex_data', sql: `CREATE TABLE 'SearchIndex_data'(id INTEGER PRIMARY KEY, block BLOB)` },
  { name: 'SearchIndex_idx', sql: `CREATE TABLE 'SearchIndex_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID` },
  { name: 'SearchIndex_config', sql: `CREATE TABLE 'SearchIndex_config'(k PRIMARY KEY, v) WITHOUT ROWID` },
]

/** Has all records indexed from the newest back, in the background. '~' comes after every id. */
export const FILL_ALL = `INSERT OR REPLACE INTO "SearchFill" ("Workspace", "RecordType", "Before") SELECT w."Number", t.value, '~' FROM "Workspace" w CROSS JOIN json_each('${JSON.stringify(SEARCHED_TYPES)}') t`
