import { recordType } from '../../../contract/operations.ts'
import type { Value, Where } from '../../platform.ts'
import { withComparisons } from './conditions.ts'
import type { CrmDriver } from './driver.ts'

type Canonical = Pick<CrmDriver, 'canonicalId'>

/** An id as the CRM writes it, so that locks, caches and comparisons know one record by one id. */
export const canonicalId = (driver: Canonical, type: string, id: string): string => driver.canonicalId?.(type, id) ?? id

/** Conditions whose ids are as the CRM writes them. */
export function canonicalConditions(driver: Canonical, type: string, where: readonly Where[]): readonly Where[] {
  if (!driver.canonicalId) return where
  return where.map((one) =>
    withComparisons(one, (condition) => {
      const { through, field, name, value } = condition
      const of = through?.type ?? type
      const { id, fields } = recordType(of)
      if (name !== undefined || (field !== id && fields[field]?.kind !== 'id')) return condition
      const written = (given: Value) => (typeof given === 'string' ? canonicalId(driver, of, given) : given)
      return { ...condition, value: Array.isArray(value) ? value.map(written) : written(value as Value) }
    }),
  )
}
