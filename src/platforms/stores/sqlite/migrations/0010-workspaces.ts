/** The digits of a number in an id, by the bits that each stands for. */
const digits = (value: string, bits: readonly number[]) =>
  bits.map((shift) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((${value}) >> ${shift} & 31) + 1, 1)`).join(' || ')

const CREATED_MS = `COALESCE(CAST(strftime('%s', "CreatedDate") AS INTEGER) * 1000 + CAST(substr("CreatedDate", 21, 3) AS INTEGER), 0)`

/** Ids that begin with the time of creation and end with the number, as any upgrade of the same store makes them. */
const ID = `${digits(CREATED_MS, [40, 35, 30, 25, 20, 15, 10, 5, 0])} || '00000' || ${digits('"Number"', [25, 20, 15, 10, 5, 0])}`

/** Workspaces as records of the first one, and those that were erased. Frozen. */
export const WORKSPACES = `
CREATE TABLE "WorkspaceNow" ("Workspace" INTEGER NOT NULL, "WorkspaceID" TEXT NOT NULL, "Name" TEXT NOT NULL, "State" TEXT NOT NULL, "CallsPerMinute" INTEGER, "MaxUsers" INTEGER, "MaxKeys" INTEGER, "MaxWebhooks" INTEGER, "Number" INTEGER NOT NULL, "CreatedDate" TEXT NOT NULL, "UpdatedDate" TEXT NOT NULL, "Revision" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "WorkspaceID")) STRICT, WITHOUT ROWID;
INSERT INTO "WorkspaceNow" ("Workspace", "WorkspaceID", "Name", "State", "Number", "CreatedDate", "UpdatedDate", "Revision") SELECT 1, ${ID}, "Name", 'active', "Number", "CreatedDate", "CreatedDate", 1 FROM "Workspace";
DROP TABLE "Workspace";
ALTER TABLE "WorkspaceNow" RENAME TO "Workspace";
CREATE INDEX "Workspace_Name" ON "Workspace" ("Workspace", "Name", "WorkspaceID");
CREATE INDEX "Workspace_State" ON "Workspace" ("Workspace", "State", "WorkspaceID");
CREATE UNIQUE INDEX "Workspace_Number" ON "Workspace" ("Number");
CREATE UNIQUE INDEX "Workspace_UniqueName" ON "Workspace" ("Name");
CREATE TABLE "Erasure" ("Workspace" INTEGER PRIMARY KEY, "Until" TEXT NOT NULL) STRICT;
`

/** The table as it was before, in a store that is yet to be upgraded. */
export const FORMER_WORKSPACE = 'CREATE TABLE "Workspace" ("Number" INTEGER PRIMARY KEY, "Name" TEXT NOT NULL UNIQUE, "CreatedDate" TEXT NOT NULL) STRICT'
