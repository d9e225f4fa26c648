/** Where in a record each word is, in the index of words, which is filled anew. Frozen. */
export const SEARCH_PLACES = `
DROP TABLE "SearchIndex";
DROP TABLE "SearchRow";
DELETE FROM "SearchFill";
CREATE TABLE "SearchRow" ("Row" INTEGER PRIMARY KEY, "Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "RecordID" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, "Words" TEXT NOT NULL, "Places" TEXT) STRICT;
CREATE UNIQUE INDEX "SearchRow_RecordID" ON "SearchRow" ("Workspace", "RecordType", "RecordID");
CREATE VIRTUAL TABLE "SearchIndex" USING fts5("Grams", content='', columnsize=0, detail=none, tokenize='ascii');
INSERT INTO "SearchIndex" ("SearchIndex", rank) VALUES ('secure-delete', 1);
INSERT INTO "SearchFill" ("Workspace", "RecordType", "Before") SELECT w."Number", t.value, '~' FROM "Workspace" w CROSS JOIN json_each('["Lead","Opportunity","Case","Company","Contact","Campaign","CustomObject"]') t;
`
