/** The secret of the store, from which keys are derived. Frozen. */
export const SECRET = `
CREATE TABLE "Secret" ("Name" TEXT PRIMARY KEY, "Value" TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "Secret" ("Name", "Value") VALUES ('store', lower(hex(randomblob(32))));
`
