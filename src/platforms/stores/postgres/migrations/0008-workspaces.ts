/** The digits of a number in an id, by the bits that each stands for. */
const digits = (value: string, bits: readonly number[]) =>
  bits.map((shift) => `substr('0123456789abcdefghjkmnpqrstvwxyz', CAST(((${value}) >> ${shift}) & 31 AS INTEGER) + 1, 1)`).join(' || ')

const CREATED_MS = `CAST(round(extract(epoch FROM CAST("CreatedDate" AS TIMESTAMP WITH TIME ZONE)) * 1000) AS BIGINT)`

/** Ids that begin with the time of creation and end with the number. */
const ID = `${digits(CREATED_MS, [40, 35, 30, 25, 20, 15, 10, 5, 0])} || '00000' || ${digits('"Number"', [25, 20, 15, 10, 5, 0])}`

/** Workspaces as records of the first one, and those that were erased. Frozen. */
export const WORKSPACES: readonly string[] = [
  'CREATE TABLE "WorkspaceNow" ("Workspace" INTEGER NOT NULL, "WorkspaceID" TEXT COLLATE "C" NOT NULL, "Name" TEXT COLLATE "C" NOT NULL, "State" TEXT COLLATE "C" NOT NULL, "CallsPerMinute" DOUBLE PRECISION, "MaxUsers" DOUBLE PRECISION, "MaxKeys" DOUBLE PRECISION, "MaxWebhooks" DOUBLE PRECISION, "Number" DOUBLE PRECISION NOT NULL, "CreatedDate" TEXT COLLATE "C" NOT NULL, "UpdatedDate" TEXT COLLATE "C" NOT NULL, "Revision" DOUBLE PRECISION NOT NULL, PRIMARY KEY ("Workspace", "WorkspaceID"))',
  `INSERT INTO "WorkspaceNow" ("Workspace", "WorkspaceID", "Name", "State", "Number", "CreatedDate", "UpdatedDate", "Revision") SELECT 1, ${ID}, "Name", 'active', "Number", "CreatedDate", "CreatedDate", 1 FROM "Workspace"`,
  'DROP TABLE "Workspace"',
  'ALTER TABLE "WorkspaceNow" RENAME TO "Workspace"',
  'ALTER INDEX "WorkspaceNow_pkey" RENAME TO "Workspace_pkey"',
  'CREATE INDEX "Workspace_Name" ON "Workspace" ("Workspace", "Name" NULLS FIRST, "WorkspaceID")',
  'CREATE INDEX "Workspace_State" ON "Workspace" ("Workspace", "State" NULLS FIRST, "WorkspaceID")',
  'CREATE UNIQUE INDEX "Workspace_Number" ON "Workspace" ("Number")',
  'CREATE UNIQUE INDEX "Workspace_UniqueName" ON "Workspace" ("Name")',
  'CREATE TABLE "Erasure" ("Workspace" INTEGER PRIMARY KEY, "Until" TEXT COLLATE "C" NOT NULL)',
]
