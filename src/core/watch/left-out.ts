import { type Condition, isCondition, type Where } from '../../contract/conditions.ts'
import type { LeftOut } from '../../platforms/platform.ts'

/** Whether a search asks for records that lists leave out otherwise, and so the mirror too. */
export function asksForLeftOut(fields: LeftOut[string] = {}, where: readonly Where[]): boolean {
  const isAskedBy = ({ through, field, operator, value }: Condition): boolean => {
    const values = through || !Object.hasOwn(fields, field) ? [] : fields[field]
    if (values === null) return true
    return (operator === 'eq' || operator === 'in') && [value].flat().some((one) => values?.includes(String(one)))
  }
  const isAsked = (one: Where): boolean => (isCondition(one) ? isAskedBy(one) : 'any' in one && one.any.flat().some(isAsked))
  return where.some(isAsked)
}
