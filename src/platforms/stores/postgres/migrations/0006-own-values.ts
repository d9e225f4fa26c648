/** The index of fields that workspaces define. Frozen. */
export const OWN_VALUES: readonly string[] = [
  'CREATE TABLE "OwnValue" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT COLLATE "C" NOT NULL, "FieldName" TEXT COLLATE "C" NOT NULL, "Value" TEXT COLLATE "C" NOT NULL, "RecordID" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "FieldName", "Value", "RecordID"))',
]
