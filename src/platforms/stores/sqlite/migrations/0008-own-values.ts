/** The index of fields that workspaces define. Frozen. */
export const OWN_VALUES = `
CREATE TABLE "OwnValue" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "FieldName" TEXT NOT NULL, "Value" ANY NOT NULL, "RecordID" TEXT NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "FieldName", "Value", "RecordID")) STRICT, WITHOUT ROWID;
`
