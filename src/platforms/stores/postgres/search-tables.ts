import { SEARCHED_TYPES } from '../../../contract/search.ts'

/**
 * What a search needs beside the records. "SearchQueue" has a row for each write that is not indexed yet, "SearchFill" how far a backfill of older records has come,
 * "SearchRow" the words of each record and the hashes of their parts, "SearchBlock" the blocks that these rows are divided into.
 */
export const SEARCH_TABLES: readonly string[] = [
  `CREATE TABLE "SearchQueue" ("Workspace" INTEGER NOT NULL, "Arrived" BIGINT NOT NULL DEFAULT nextval('"Arrival"'), "RecordType" TEXT COLLATE "C" NOT NULL, "RecordID" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("Workspace", "Arrived"))`,
  'CREATE TABLE "SearchFill" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "Before" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("Workspace", "RecordType"))',
  'CREATE TABLE "SearchBlock" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "Block" INTEGER NOT NULL, "Rows" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "Block"))',
  'CREATE TABLE "SearchRow" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "RecordID" TEXT COLLATE "C" NOT NULL, "OwnerID" TEXT COLLATE "C" NOT NULL, "Words" TEXT COLLATE "C" NOT NULL, "Places" TEXT COLLATE "C" NOT NULL, "Block" INTEGER NOT NULL, "Grams" INTEGER[] NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "RecordID"))',
  'CREATE INDEX "SearchRow_Grams" ON "SearchRow" USING gin ("Grams") WITH (fastupdate = off)',
]

/** Has all records indexed anew from the newest back, in the background. '~' comes after every id. */
export const FILL_ALL: readonly string[] = [
  'DELETE FROM "SearchQueue"',
  'DELETE FROM "SearchRow"',
  'DELETE FROM "SearchBlock"',
  `INSERT INTO "SearchFill" ("Workspace", "RecordType", "Before") SELECT CAST(w."Number" AS INTEGER), t, '~' FROM "Workspace" w CROSS JOIN unnest(ARRAY[${SEARCHED_TYPES.map((type) => `'${type}'`)}]) t ON CONFLICT ("Workspace", "RecordType") DO UPDATE SET "Before" = '~'`,
]
