import { type Value, type Where, withComparisons } from './conditions.ts'
import { recordType } from './operations.ts'

/** What writes ids in one form, where it takes others for the same record. */
interface Canonical {
  canonicalId?(type: string, id: string): string
}

/** An id as the CRM writes it, so that locks, caches and comparisons know one record by one id. */
export const canonicalId = (crm: Canonical, type: string, id: string): string => crm.canonicalId?.(type, id) ?? id

/** Conditions whose ids are as the CRM writes them. */
export function canonicalConditions(crm: Canonical, type: string, where: readonly Where[]): readonly Where[] {
  if (!crm.canonicalId) return where
  return where.map((one) =>
    withComparisons(one, (condition) => {
      const { through, field, name, value } = condition
      const of = through?.type ?? type
      const { id, fields } = recordType(of)
      if (name !== undefined || (field !== id && fields[field]?.kind !== 'id')) return condition
      const written = (given: Value) => (typeof given === 'string' ? canonicalId(crm, of, given) : given)
      return { ...condition, value: Array.isArray(value) ? value.map(written) : written(value as Value) }
    }),
  )
}
