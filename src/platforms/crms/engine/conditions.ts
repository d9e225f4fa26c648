import { isCondition } from '../../../contract/conditions.ts'
import type { Condition, Where } from '../../platform.ts'

/** The same conditions with each comparison replaced. */
export function withComparisons(where: Where, replaced: (condition: Condition) => Condition): Where {
  if (isCondition(where)) return replaced(where)
  const all = (list: readonly Where[]) => list.map((one) => withComparisons(one, replaced))
  return 'not' in where ? { not: all(where.not) } : { any: where.any.map(all) }
}

/** Whether it is one comparison with a field of the record itself. */
export const isPlain = (where: Where): where is Condition => isCondition(where) && !where.through

/** The plain comparisons, and what is combined or follows a reference. */
export const partsOf = (where: readonly Where[]): { readonly where: readonly Condition[]; readonly trees: readonly Where[] } => ({
  where: where.filter(isPlain),
  trees: where.filter((one) => !isPlain(one)),
})
