import { isCondition } from '../../../contract/conditions.ts'
import type { Condition, Where } from '../../platform.ts'

/** Whether it is one comparison with a field of the record itself. */
export const isPlain = (where: Where): where is Condition => isCondition(where) && !where.through

/** The plain comparisons, and what is combined or follows a reference. */
export const partsOf = (where: readonly Where[]): { readonly where: readonly Condition[]; readonly trees: readonly Where[] } => ({
  where: where.filter(isPlain),
  trees: where.filter((one) => !isPlain(one)),
})
