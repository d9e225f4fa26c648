import { isObject } from '../../helpers/is-object.ts'
import type { Row } from './reading.ts'

/** The objects of comparisons by field that filters consist of, those inside `any` among them. What `not` excludes is no reason why nothing is found. */
export function comparisonsIn(filters: unknown): readonly Row[] {
  if (Array.isArray(filters)) return filters.flatMap(comparisonsIn)
  if (!isObject(filters)) return []
  const { any, not: _excluded, ...comparisons } = filters
  return [comparisons, ...comparisonsIn(any)]
}

/** The texts that a comparison compares a field with as a whole. */
export function textsComparedIn(comparison: unknown): readonly string[] {
  const { eq, in: among } = Object(comparison) as Row
  return [comparison, eq, among].flat().filter((value): value is string => typeof value === 'string')
}
