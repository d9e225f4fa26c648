/** The index of words, and the backfill of what was stored before. What is removed from the index is overwritten. Frozen. */
export const SEARCH = `
CREATE TABLE "SearchQueue" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "RecordID" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "RecordID")) STRICT, WITHOUT ROWID;
CREATE TABLE "SearchFill" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "Before" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordType")) STRICT, WITHOUT ROWID;
CREATE TABLE "SearchRow" ("Row" INTEGER PRIMARY KEY, "Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "RecordID" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, "Words" TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX "SearchRow_RecordID" ON "SearchRow" ("Workspace", "RecordType", "RecordID");
CREATE VIRTUAL TABLE "SearchIndex" USING fts5("Grams", content='', columnsize=0, detail=none, tokenize='ascii');
INSERT INTO "SearchIndex" ("SearchIndex", rank) VALUES ('secure-delete', 1);
INSERT INTO "SearchFill" ("Workspace", "RecordType", "Before") SELECT w."Number", t.value, '~' FROM "Workspace" w CROSS JOIN json_each('["Lead","Opportunity","Case","Company","Contact","Campaign","CustomObject"]') t;
`
