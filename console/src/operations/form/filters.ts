import { FAMILIES, type Family } from 'crm-connector/contract'
import { isObject } from '../../data/is-object.ts'
import type { Json } from './json.ts'

export interface Condition {
  readonly field: string
  /** An operator of the contract, or `is` for the plain value that means the same as `eq`. */
  readonly operator: string
  /** Undefined while empty. */
  readonly value: unknown
}

export const OPERATOR_WORDS: { readonly [operator: string]: string } = {
  is: 'is',
  eq: 'is (eq)',
  ne: 'is not',
  in: 'is one of',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  startsWith: 'starts with',
}

export const operatorsOf = (family: Family): readonly string[] => ['is', ...FAMILIES[family].operators]

/** The operators that accept null. */
export const takesNull = (operator: string) => operator === 'is' || operator === 'eq' || operator === 'ne'

export function conditionsIn(filters: unknown): Condition[] {
  if (!isObject(filters)) return []
  return Object.entries(filters).flatMap(([field, message]) =>
    isObject(message) ? Object.entries(message).map(([operator, value]) => ({ field, operator, value })) : [{ field, operator: 'is', value: message }],
  )
}

/** The filters of the conditions; those without a value are left out. */
export function filtersOf(conditions: readonly Condition[]): Json | undefined {
  const message = conditions.filter(({ field, value }) => field !== '' && value !== undefined)
  const fields = [...new Set(message.map(({ field }) => field))]
  if (fields.length === 0) return undefined
  return Object.fromEntries(
    fields.map((field) => {
      const own = message.filter((one) => one.field === field)
      const [first] = own
      if (own.length === 1 && first?.operator === 'is') return [field, first.value]
      return [field, Object.fromEntries(own.map(({ operator, value }) => [operator === 'is' ? 'eq' : operator, value]))]
    }),
  )
}
