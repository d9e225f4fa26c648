import type { AuditLine } from '../../store.ts'
import { LINE_MEMBERS } from './audit-columns.ts'
import { imageDigest, newSalt } from './chain.ts'

/** How many changes are searched for one page of events: enough to find some, few enough to answer soon. */
export const SEARCHED = 5000

type Cell = string | number | null

/** A line as it is stored: its cells in the order of LINE_COLUMNS. */
export function rowOf(stamp: Stamp, line: AuditLine): Cell[] {
  const salt = line.before === null && line.after === null ? null : newSalt()
  return cellsOf(line, {
    changeId: stamp.id,
    at: stamp.at,
    ownerId: line.owner,
    salt,
    beforeDigest: imageDigest(salt, line.before),
    afterDigest: imageDigest(salt, line.after),
  })
}

interface Stamp {
  readonly id: string
  readonly at: string
}

const ADDED = ['changeId', 'at', 'ownerId', 'salt', 'beforeDigest', 'afterDigest'] as const

/** Generated: a loop over the members of a spread object took 5 % of an import, measured by the row "Import of 100,000 leads from CSV" of bench/results/import.md. */
const cellsOf = new Function(
  'line',
  'added',
  `return [${LINE_MEMBERS.map((member) => (ADDED.some((name) => name === member) ? `added.${member}` : `line.${member} ?? null`)).join(', ')}]`,
) as (line: AuditLine, added: { readonly [member in (typeof ADDED)[number]]: Cell }) => Cell[]
