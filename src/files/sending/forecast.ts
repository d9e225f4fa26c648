import type { ImportPlan } from '../planning/import-plan.ts'
import type { PlannedRow } from '../planning/planned-row.ts'
import type { Repeats } from '../planning/repeats.ts'
import type { Sent } from './sender.ts'

/**
 * What an import would do with rows that were checked; takes those that can be imported into `repeats`. A check writes nothing, so that a row which repeats
 * an earlier one seems to create a record of its own, although it updates the one that the earlier row creates.
 */
export function forecast({ matchBy }: Pick<ImportPlan, 'matchBy'>, rows: readonly PlannedRow[], sent: Sent, repeats: Repeats): Sent {
  const rejected = new Set(sent.rejected.map(({ row }) => row))
  const repeated = new Set(rows.flatMap((one) => (!rejected.has(one.row) && repeats.add(one) ? [one.row] : [])))
  if (!matchBy) return sent
  const creating = sent.creating.filter(({ row }) => !repeated.has(row))
  return { ...sent, creating, created: creating.length, updated: sent.updated + sent.creating.length - creating.length }
}
