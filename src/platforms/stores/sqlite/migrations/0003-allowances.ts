/** What is left of the limits that all processes share. Frozen. */
export const ALLOWANCES = `
CREATE TABLE "Allowance" ("Name" TEXT PRIMARY KEY, "Used" INTEGER NOT NULL, "Ends" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX "Allowance_Ends" ON "Allowance" ("Ends");
`
