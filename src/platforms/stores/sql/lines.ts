import type { AuditLine } from '../../store.ts'
import { imageDigest, newSalt } from './chain.ts'
import { quoted } from './tables.ts'

/** So many changes are looked through for one page of events: enough to find some, few enough that nobody waits. */
export const LOOKED_THROUGH = 5000

/** What is asked of a change: in order to seal it, to verify its chain, and to announce it. */
export const SEALED = [
  'changeId',
  'at',
  'userId',
  'keyId',
  'transport',
  'operation',
  'recordType',
  'recordId',
  'requestId',
  'outcome',
  'eventType',
  'idempotencyKey',
  'beforeDigest',
  'afterDigest',
]
export const CHAINED = ['number', ...SEALED, 'before', 'after', 'salt', 'seal']
export const ANNOUNCED = ['number', 'changeId', 'at', 'eventType', 'recordType', 'recordId', 'userId', 'before', 'after']

/** The column behind a member. */
export const columnOf = (member: string) => `${member.charAt(0).toUpperCase()}${member.slice(1)}`.replace(/Id$/, 'ID')

/** Columns under the names of their members. */
export const columnsAs = (members: readonly string[]) => members.map((member) => `${quoted(columnOf(member))} AS ${quoted(member)}`).join(', ')

/** The columns of a line before it has its place in the chain. */
export const LINE_COLUMNS = [...SEALED, 'before', 'after', 'ownerId', 'salt'].map(columnOf)

/** A line as it is kept: its cells in the order of these columns, and the digests of its images. */
export function keptLine({ id, at }: { readonly id: string; readonly at: string }, line: AuditLine) {
  const salt = line.before === null && line.after === null ? null : newSalt()
  const beforeDigest = imageDigest(salt, line.before)
  const afterDigest = imageDigest(salt, line.after)
  const cells: (string | number | null)[] = [
    id,
    at,
    line.userId,
    line.keyId,
    line.transport,
    line.operation,
    line.recordType,
    line.recordId,
    line.requestId,
    line.outcome,
    line.eventType,
    line.idempotencyKey,
    beforeDigest,
    afterDigest,
    line.before,
    line.after,
    line.owner,
    salt,
  ]
  return { cells, beforeDigest, afterDigest }
}
