import { isCondition } from '../../../contract/conditions.ts'
import type { Condition, Where } from '../../platform.ts'
import { both, EVERYTHING, type FilterGroups, fits } from './filters.ts'

/**
 * Conditions that are combined, as filter groups. They let too many through at most; undefined where they would let too few, or everything, or where
 * there would be more groups than a search takes. A negation is left to the engine: what lets too many through lets too few through when it is negated.
 */
export function filterGroupsOfTree(where: Where, groupsOf: (condition: Condition) => FilterGroups | undefined): FilterGroups | undefined {
  if (isCondition(where)) return where.through ? undefined : groupsOf(where)
  if ('not' in where) return undefined
  const groups: FilterGroups[number][] = []
  for (const list of where.any) {
    const known = list.flatMap((one) => {
      const found = filterGroupsOfTree(one, groupsOf)
      return found ? [found] : []
    })
    // One of the alternatives that is not narrowed lets everything through.
    if (known.length === 0) return undefined
    groups.push(...known.reduce(both, EVERYTHING))
    if (!fits(groups)) return undefined
  }
  return groups
}
