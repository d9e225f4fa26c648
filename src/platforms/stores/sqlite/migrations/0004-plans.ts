/** What has to be confirmed: plans, and the keys that need them. Frozen. */
export const PLANS = `
CREATE TABLE "KeyNow" ("Workspace" INTEGER NOT NULL, "KeyID" TEXT NOT NULL, "UserID" TEXT NOT NULL, "Label" TEXT, "Scopes" TEXT NOT NULL, "Confirm" TEXT, "ExpiresDate" TEXT, "RevokedDate" TEXT, "Digest" TEXT NOT NULL, "CreatedDate" TEXT NOT NULL, "UpdatedDate" TEXT NOT NULL, "Revision" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "KeyID")) STRICT, WITHOUT ROWID;
INSERT INTO "KeyNow" ("Workspace", "KeyID", "UserID", "Label", "Scopes", "ExpiresDate", "RevokedDate", "Digest", "CreatedDate", "UpdatedDate", "Revision") SELECT "Workspace", "KeyID", "UserID", "Label", "Scopes", "ExpiresDate", "RevokedDate", "Digest", "CreatedDate", "UpdatedDate", "Revision" FROM "Key";
DROP TABLE "Key";
ALTER TABLE "KeyNow" RENAME TO "Key";
CREATE INDEX "Key_UserID" ON "Key" ("Workspace", "UserID", "KeyID");
CREATE INDEX "Key_Label" ON "Key" ("Workspace", "Label", "KeyID");
CREATE INDEX "Key_Confirm" ON "Key" ("Workspace", "Confirm", "KeyID");
CREATE INDEX "Key_ExpiresDate" ON "Key" ("Workspace", "ExpiresDate", "KeyID");
CREATE INDEX "Key_RevokedDate" ON "Key" ("Workspace", "RevokedDate", "KeyID");
CREATE INDEX "Key_UpdatedDate" ON "Key" ("Workspace", "UpdatedDate", "KeyID");
CREATE INDEX "Key_Revision" ON "Key" ("Workspace", "Revision", "KeyID");
CREATE UNIQUE INDEX "Key_Digest" ON "Key" ("Digest");
CREATE TABLE "Plan" ("Workspace" INTEGER NOT NULL, "PlanID" TEXT NOT NULL, "UserID" TEXT NOT NULL, "KeyID" TEXT, "Operation" TEXT NOT NULL, "RecordType" TEXT NOT NULL, "RecordID" TEXT NOT NULL, "State" TEXT NOT NULL, "ExpiresDate" TEXT NOT NULL, "DecidedBy" TEXT, "Input" TEXT NOT NULL, "Preview" TEXT NOT NULL, "Digest" TEXT NOT NULL, "Fingerprint" TEXT NOT NULL, "RecordRevision" INTEGER, "CreatedDate" TEXT NOT NULL, "UpdatedDate" TEXT NOT NULL, "Revision" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "PlanID")) STRICT, WITHOUT ROWID;
CREATE INDEX "Plan_RecordID" ON "Plan" ("Workspace", "RecordID", "PlanID");
CREATE INDEX "Plan_State" ON "Plan" ("Workspace", "State", "PlanID");
CREATE INDEX "Plan_ExpiresDate" ON "Plan" ("Workspace", "ExpiresDate", "PlanID");
`
