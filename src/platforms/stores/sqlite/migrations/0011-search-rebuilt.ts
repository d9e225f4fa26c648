/** The index of words, which lacked entries, is filled anew. Frozen. */
export const SEARCH_REBUILT = `
INSERT INTO "SearchIndex" ("SearchIndex") VALUES ('delete-all');
DELETE FROM "SearchRow";
DELETE FROM "SearchFill";
INSERT INTO "SearchFill" ("Workspace", "RecordType", "Before") SELECT w."Number", t.value, '~' FROM "Workspace" w CROSS JOIN json_each('["Lead","Opportunity","Case","Company","Contact","Campaign","CustomObject"]') t;
`
