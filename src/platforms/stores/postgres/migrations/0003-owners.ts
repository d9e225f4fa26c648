/** The present owners of records that were given to another user. The lines written before have theirs already. Frozen. */
export const OWNERS: readonly string[] = [
  'CREATE TABLE "RecordOwner" ("Workspace" INTEGER NOT NULL, "RecordID" TEXT COLLATE "C" NOT NULL, "OwnerID" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("Workspace", "RecordID"))',
  'CREATE INDEX "RecordOwner_OwnerID" ON "RecordOwner" ("Workspace", "OwnerID", "RecordID")',
]
