import type { AuditLine } from '../../store.ts'
import { LINE_MEMBERS } from './audit-columns.ts'
import { imageDigest, newSalt, type Unsealed } from './chain.ts'

/** How many changes are searched for one page of events: enough to find some, few enough to answer soon. */
export const SEARCHED = 5000

type Cell = string | number | null

/** A line as it is stored: its cells in the order of LINE_COLUMNS, and what its seal covers. */
export function rowOf({ id, at }: { readonly id: string; readonly at: string }, line: AuditLine): { readonly cells: Cell[]; readonly unsealed: Unsealed } {
  const salt = line.before === null && line.after === null ? null : newSalt()
  const row = {
    ...line,
    changeId: id,
    at,
    ownerId: line.owner,
    salt,
    beforeDigest: imageDigest(salt, line.before),
    afterDigest: imageDigest(salt, line.after),
  }
  return { cells: LINE_MEMBERS.map((member) => (row as unknown as { readonly [member: string]: Cell })[member] ?? null), unsealed: row }
}
