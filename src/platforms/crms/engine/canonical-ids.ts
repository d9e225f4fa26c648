import { recordType } from '../../../contract/operations.ts'
import type { Condition, Value } from '../../platform.ts'
import type { CrmDriver } from './driver.ts'

type Canonical = Pick<CrmDriver, 'canonicalId'>

/** An id as the CRM writes it, so that locks, caches and comparisons know one record by one id. */
export const canonicalId = (driver: Canonical, type: string, id: string): string => driver.canonicalId?.(type, id) ?? id

/** Conditions whose ids are as the CRM writes them. */
export function canonicalConditions(driver: Canonical, type: string, where: readonly Condition[]): readonly Condition[] {
  if (!driver.canonicalId) return where
  const { id, fields } = recordType(type)
  const written = (value: Value) => (typeof value === 'string' ? canonicalId(driver, type, value) : value)
  return where.map((condition) => {
    const { field, name, value } = condition
    if (name !== undefined || (field !== id && fields[field]?.kind !== 'id')) return condition
    return { ...condition, value: Array.isArray(value) ? value.map(written) : written(value as Value) }
  })
}
