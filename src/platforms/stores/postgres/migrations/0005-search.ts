/** The index of words, and the backfill of what was stored before. Frozen. */
export const SEARCH: readonly string[] = [
  `CREATE TABLE "SearchQueue" ("Workspace" INTEGER NOT NULL, "Arrived" BIGINT NOT NULL DEFAULT nextval('"Arrival"'), "RecordType" TEXT COLLATE "C" NOT NULL, "RecordID" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("Workspace", "Arrived"))`,
  'CREATE TABLE "SearchFill" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "Before" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("Workspace", "RecordType"))',
  'CREATE TABLE "SearchBlock" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "Block" INTEGER NOT NULL, "Rows" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "Block"))',
  'CREATE TABLE "SearchRow" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "RecordID" TEXT COLLATE "C" NOT NULL, "OwnerID" TEXT COLLATE "C" NOT NULL, "Words" TEXT COLLATE "C" NOT NULL, "Block" INTEGER NOT NULL, "Grams" INTEGER[] NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "RecordID"))',
  'CREATE INDEX "SearchRow_Grams" ON "SearchRow" USING gin ("Grams") WITH (fastupdate = off)',
  `INSERT INTO "SearchFill" ("Workspace", "RecordType", "Before") SELECT w."Number", t, '~' FROM "Workspace" w CROSS JOIN unnest(ARRAY['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'Campaign', 'CustomObject']) t`,
]
