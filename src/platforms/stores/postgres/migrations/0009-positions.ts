/** Named positions. Frozen. */
export const POSITIONS: readonly string[] = [
  'CREATE TABLE "Position" ("Workspace" INTEGER NOT NULL, "Name" TEXT COLLATE "C" NOT NULL, "Value" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("Workspace", "Name"))',
]
