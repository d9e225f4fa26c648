/** Statements on the named positions of a workspace. */
export const POSITION = 'SELECT "Value" AS value FROM "Position" WHERE "Workspace" = ? AND "Name" = ?'
export const PUT_POSITION =
  'INSERT INTO "Position" ("Workspace", "Name", "Value") VALUES (?, ?, ?) ON CONFLICT ("Workspace", "Name") DO UPDATE SET "Value" = excluded."Value"'
export const REMOVE_POSITION = 'DELETE FROM "Position" WHERE "Workspace" = ? AND "Name" = ?'
export const WORKSPACES_AT = 'SELECT "Workspace" AS number FROM "Position" WHERE "Name" = ?'
