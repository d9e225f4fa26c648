import type { Dialect, Parameter } from './dialect.ts'

/**
 * The owner that decides who sees an audit line: the present owner of its record. A line keeps the owner of its time, and "RecordOwner"
 * has the present one of each record that was given to another user, so that an owner change costs the same however many lines the record
 * has. Null where only admins see the line.
 */
export const presentOwner = (line: string) =>
  `CASE WHEN ${line}."OwnerID" IS NOT NULL THEN COALESCE((SELECT r."OwnerID" FROM "RecordOwner" r WHERE r."Workspace" = ${line}."Workspace" AND r."RecordID" = ${line}."RecordID"), ${line}."OwnerID") END`

/** Notes the present owner of a record. */
export const MOVE_RECORD =
  'INSERT INTO "RecordOwner" ("Workspace", "RecordID", "OwnerID") VALUES (?, ?, ?) ON CONFLICT ("Workspace", "RecordID") DO UPDATE SET "OwnerID" = excluded."OwnerID"'

/** The same, where a line of the record shows another. It costs a look at the record's lines, which `index` makes SQLite read by themselves. */
export const moveIfOther = (
  index = '',
) => `INSERT INTO "RecordOwner" ("Workspace", "RecordID", "OwnerID") SELECT CAST(? AS INTEGER), CAST(? AS TEXT), CAST(? AS TEXT)
  WHERE EXISTS (SELECT 1 FROM "Change" c ${index} WHERE c."Workspace" = ? AND c."RecordID" = ? AND ${presentOwner('c')} <> ?)
  ON CONFLICT ("Workspace", "RecordID") DO UPDATE SET "OwnerID" = excluded."OwnerID"`

interface Range {
  readonly index: string
  readonly sql: string
  readonly bind: readonly Parameter[]
}

/**
 * Two ranges of the audit that contain all lines these users see as owners: the lines that were written as theirs, and those of the records
 * that were given to them. They overlap, and the first holds lines of records that were given to others since.
 */
export function lineRanges(dialect: Dialect, workspace: number, owners: readonly string[], mostRecords?: number): readonly Range[] {
  const list = dialect.texts(owners)
  const limit = mostRecords === undefined ? '' : ` LIMIT ${mostRecords}`
  const records = `SELECT r."RecordID" FROM "RecordOwner" r WHERE r."Workspace" = ? AND ${dialect.among('r."OwnerID"')}${limit}`
  return [
    { index: 'Change_OwnerID', sql: dialect.among('t."OwnerID"'), bind: [list] },
    { index: 'Change_RecordID', sql: dialect.amongRows('t."RecordID"', records), bind: [workspace, list] },
  ]
}

/** Restricts to lines in these ranges, which are few: their ids are collected first. */
export function linesIn(dialect: Dialect, workspace: number, ranges: readonly Range[]): { readonly sql: string; readonly bind: readonly Parameter[] } {
  const ids = ranges.map(({ sql }) => `SELECT t."ChangeID" FROM "Change" t WHERE t."Workspace" = ? AND ${sql}`).join(' UNION ALL ')
  return { sql: dialect.amongRows('t."ChangeID"', ids), bind: ranges.flatMap(({ bind }) => [workspace, ...bind]) }
}

/** Forgets the owners of these records that no line is left of. */
export const forgetOwners = (records: string) =>
  `DELETE FROM "RecordOwner" WHERE "Workspace" = ? AND ${records} AND NOT EXISTS (SELECT 1 FROM "Change" c WHERE c."Workspace" = "RecordOwner"."Workspace" AND c."RecordID" = "RecordOwner"."RecordID")`
