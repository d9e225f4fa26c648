/** Named positions. Frozen. */
export const POSITIONS = `
CREATE TABLE "Position" ("Workspace" INTEGER NOT NULL, "Name" TEXT NOT NULL, "Value" TEXT NOT NULL, PRIMARY KEY ("Workspace", "Name")) STRICT, WITHOUT ROWID;
`
