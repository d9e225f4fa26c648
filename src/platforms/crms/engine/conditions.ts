import { isCondition, withComparisons } from '../../../contract/conditions.ts'
import { recordType } from '../../../contract/operations.ts'
import type { Condition, Where } from '../../platform.ts'
import { refersToUser, requiredTexts } from './account.ts'
import type { CrmDriver } from './driver.ts'

/** Whether it is one comparison with a field of the record itself. */
export const isPlain = (where: Where): where is Condition => isCondition(where) && !where.through

/** The plain comparisons, and what is combined or follows a reference. */
export const partsOf = (where: readonly Where[]): { readonly where: readonly Condition[]; readonly trees: readonly Where[] } => ({
  where: where.filter(isPlain),
  trees: where.filter((one) => !isPlain(one)),
})

/**
 * The same conditions for what always has a user, if only `nobody`, whom a CRM does not know: whether there is one is asked of the id, which every record has.
 */
export const ofOwned = (type: string, where: readonly Where[]): Where[] => {
  const { id } = recordType(type)
  return where.map((one) =>
    withComparisons(one, (condition) =>
      !condition.through && refersToUser(type, condition.field) && condition.value === null ? { ...condition, field: id, family: 'text' } : condition,
    ),
  )
}

/** Whether it asks for a text that the contract requires to have no value. It counts as empty where a CRM has none, which the CRM does not know. */
export const asksForLackingText = (type: string, { through, field, value }: Condition) =>
  [value].flat().includes(null) && requiredTexts(recordType(through?.type ?? type)).includes(field)

/** How far the CRM narrows a comparison with a field of the record itself. */
export const narrowing = (driver: CrmDriver, type: string, condition: Condition) =>
  asksForLackingText(type, condition) ? 'not' : driver.narrows(type, condition)
