/** The present owners of records that were given to another user. The lines written before have theirs already. Frozen. */
export const OWNERS = `
CREATE TABLE "RecordOwner" ("Workspace" INTEGER NOT NULL, "RecordID" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordID")) STRICT, WITHOUT ROWID;
CREATE INDEX "RecordOwner_OwnerID" ON "RecordOwner" ("Workspace", "OwnerID", "RecordID");
`
