/** What has to be confirmed: plans, and the keys that need them. Frozen. */
export const PLANS: readonly string[] = [
  'ALTER TABLE "Key" ADD COLUMN "Confirm" TEXT COLLATE "C"',
  'CREATE INDEX "Key_Confirm" ON "Key" ("Workspace", "Confirm" NULLS FIRST, "KeyID")',
  'CREATE TABLE "Plan" ("Workspace" INTEGER NOT NULL, "PlanID" TEXT COLLATE "C" NOT NULL, "UserID" TEXT COLLATE "C" NOT NULL, "KeyID" TEXT COLLATE "C", "Operation" TEXT COLLATE "C" NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "RecordID" TEXT COLLATE "C" NOT NULL, "State" TEXT COLLATE "C" NOT NULL, "ExpiresDate" TEXT COLLATE "C" NOT NULL, "DecidedBy" TEXT COLLATE "C", "Input" TEXT COLLATE "C" NOT NULL, "Preview" TEXT COLLATE "C" NOT NULL, "Digest" TEXT COLLATE "C" NOT NULL, "Fingerprint" TEXT COLLATE "C" NOT NULL, "RecordRevision" DOUBLE PRECISION, "CreatedDate" TEXT COLLATE "C" NOT NULL, "UpdatedDate" TEXT COLLATE "C" NOT NULL, "Revision" DOUBLE PRECISION NOT NULL, PRIMARY KEY ("Workspace", "PlanID"))',
  'CREATE INDEX "Plan_RecordID" ON "Plan" ("Workspace", "RecordID" NULLS FIRST, "PlanID")',
  'CREATE INDEX "Plan_State" ON "Plan" ("Workspace", "State" NULLS FIRST, "PlanID")',
  'CREATE INDEX "Plan_ExpiresDate" ON "Plan" ("Workspace", "ExpiresDate" NULLS FIRST, "PlanID")',
]
