import { quoted } from './tables.ts'

/**
 * Every column of the audit, listed once: what is sealed, selected and inserted derives from this list.
 *
 * Not sealed, deliberately: the images, which can be erased, so that their digests are sealed instead; the salt, which is erased with
 * them; the owner, who is replaced where the record has a later one (line-owners.ts); and the place in the chain, which the seal makes.
 */
export const AUDIT_COLUMNS = {
  ChangeID: 'sealed',
  At: 'sealed',
  UserID: 'sealed',
  KeyID: 'sealed',
  Transport: 'sealed',
  Operation: 'sealed',
  RecordType: 'sealed',
  RecordID: 'sealed',
  RequestID: 'sealed',
  Outcome: 'sealed',
  EventType: 'sealed',
  IdempotencyKey: 'sealed',
  BeforeDigest: 'sealed',
  AfterDigest: 'sealed',
  // A column that is added later is sealed after these, and left out of the seal where it is null, so that older lines verify unchanged.
  Count: 'sealed',
  GroupID: 'sealed',
  BatchID: 'sealed',
  Undoes: 'sealed',
  Before: 'image',
  After: 'image',
  OwnerID: 'unsealed',
  Salt: 'unsealed',
  Number: 'place',
  Seal: 'place',
} as const

type Column = keyof typeof AUDIT_COLUMNS
type Role = (typeof AUDIT_COLUMNS)[Column]

const COLUMNS = Object.keys(AUDIT_COLUMNS) as Column[]
const columnsBut = (...roles: Role[]) => COLUMNS.filter((column) => !roles.includes(AUDIT_COLUMNS[column]))

/** The member behind a column, and the other way round: `RecordID` is `recordId`. */
const memberOf = (column: string) => `${column.charAt(0).toLowerCase()}${column.slice(1)}`.replace(/ID$/, 'Id')
const columnOf = (member: string) => `${member.charAt(0).toUpperCase()}${member.slice(1)}`.replace(/Id$/, 'ID')

/** The members that a seal covers, in the order in which they are hashed. */
export const SEALED: readonly string[] = columnsBut('image', 'unsealed', 'place').map(memberOf)

/** How many of them every seal covers, null or not: those of the first version. */
export const ALWAYS_SEALED = 14

/** The members that verifying a chain needs. */
export const CHAINED: readonly string[] = COLUMNS.map(memberOf)

/** The members of an event. */
export const ANNOUNCED: readonly string[] = [
  'number',
  'changeId',
  'at',
  'eventType',
  'recordType',
  'recordId',
  'userId',
  'transport',
  'before',
  'after',
  'batchId',
]

/** The columns of a line before it has its place in the chain, what is sealed first, and their members. */
export const LINE_COLUMNS: readonly string[] = [...columnsBut('image', 'unsealed', 'place'), ...columnsBut('sealed', 'place')]
export const LINE_MEMBERS: readonly string[] = LINE_COLUMNS.map(memberOf)

/** Columns under the names of their members. */
export const columnsAs = (members: readonly string[]) => members.map((member) => `${quoted(columnOf(member))} AS ${quoted(member)}`).join(', ')
