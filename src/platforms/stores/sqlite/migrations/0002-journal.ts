/** The journal: changes, idempotency keys, webhooks. Frozen. */
export const JOURNAL = `
CREATE INDEX "Membership_CampaignID" ON "Membership" ("Workspace", "CampaignID", "MembershipID");
CREATE TABLE "Change" ("Workspace" INTEGER NOT NULL, "ChangeID" TEXT NOT NULL, "At" TEXT NOT NULL, "Number" INTEGER, "UserID" TEXT NOT NULL, "KeyID" TEXT, "Transport" TEXT NOT NULL, "Operation" TEXT NOT NULL, "RecordType" TEXT NOT NULL, "RecordID" TEXT, "Before" TEXT, "After" TEXT, "RequestID" TEXT, "Outcome" TEXT NOT NULL, "EventType" TEXT, "IdempotencyKey" TEXT, "OwnerID" TEXT, "Salt" TEXT, "BeforeDigest" TEXT, "AfterDigest" TEXT, "Seal" TEXT, PRIMARY KEY ("Workspace", "ChangeID")) STRICT, WITHOUT ROWID;
CREATE INDEX "Change_Number" ON "Change" ("Workspace", "Number", "ChangeID");
CREATE INDEX "Change_UserID" ON "Change" ("Workspace", "UserID", "ChangeID");
CREATE INDEX "Change_RecordID" ON "Change" ("Workspace", "RecordID", "ChangeID");
CREATE INDEX "Change_OwnerID" ON "Change" ("Workspace", "OwnerID", "ChangeID");
CREATE TABLE "Webhook" ("Workspace" INTEGER NOT NULL, "WebhookID" TEXT NOT NULL, "URL" TEXT NOT NULL, "Label" TEXT, "EventTypes" TEXT NOT NULL, "Active" INTEGER NOT NULL, "Scopes" TEXT NOT NULL, "PausedReason" TEXT, "FailingSince" TEXT, "Secret" TEXT NOT NULL, "OldSecret" TEXT, "OldSecretUntil" TEXT, "Position" INTEGER NOT NULL, "OwnerID" TEXT NOT NULL, "CreatedDate" TEXT NOT NULL, "UpdatedDate" TEXT NOT NULL, "Revision" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "WebhookID")) STRICT, WITHOUT ROWID;
CREATE TABLE "Delivery" ("Workspace" INTEGER NOT NULL, "DeliveryID" TEXT NOT NULL, "WebhookID" TEXT NOT NULL, "EventID" TEXT NOT NULL, "EventType" TEXT NOT NULL, "RecordID" TEXT NOT NULL, "State" TEXT NOT NULL, "Attempts" INTEGER NOT NULL, "NextAttempt" TEXT, "LastAttempt" TEXT, "LastStatus" INTEGER, "LastError" TEXT, "CreatedDate" TEXT NOT NULL, PRIMARY KEY ("Workspace", "DeliveryID")) STRICT, WITHOUT ROWID;
CREATE INDEX "Delivery_WebhookID" ON "Delivery" ("Workspace", "WebhookID", "DeliveryID");
CREATE INDEX "Delivery_State" ON "Delivery" ("Workspace", "State", "DeliveryID");
CREATE TABLE "Once" ("Number" INTEGER PRIMARY KEY, "Run" INTEGER NOT NULL, "Hash" INTEGER NOT NULL, "Workspace" INTEGER NOT NULL, "UserID" TEXT NOT NULL, "Key" TEXT NOT NULL, "Fingerprint" TEXT NOT NULL, "At" TEXT NOT NULL, "State" TEXT NOT NULL, "Answer" TEXT, "ChangeID" TEXT) STRICT;
CREATE INDEX "Once_Run" ON "Once" ("Run", "Hash");
CREATE TABLE "Lease" ("Name" TEXT PRIMARY KEY, "Holder" TEXT NOT NULL, "Until" TEXT NOT NULL) STRICT;
CREATE TABLE "Chain" ("Workspace" INTEGER PRIMARY KEY, "Number" INTEGER NOT NULL, "Seal" TEXT NOT NULL) STRICT;
`
