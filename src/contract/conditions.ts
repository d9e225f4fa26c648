import type { Family, Operator } from './fields.ts'

export type Value = string | number | boolean | null

/** One comparison. `name` is set where `field` holds user-defined values. */
export interface Condition {
  /** Set where `field` is one of the record that a reference points to. */
  readonly through?: Through
  readonly field: string
  readonly name?: string
  /** Whether a store has the values of `name` in an index. */
  readonly indexed?: boolean
  readonly family: Family
  readonly operator: Operator
  readonly value: Value | readonly Value[]
}

/** A reference that a condition follows. A record that is not there, or belongs to none of the owners, has null in every field. */
export interface Through {
  /** The field that holds the id, and the type of the record behind it. */
  readonly field: string
  readonly type: string
  /** Undefined means those of all users. */
  readonly owners?: readonly string[]
}

/** One of these lists of conditions holds as a whole; none of them holds; or a single comparison. A comparison of null with a value is false, so that `not` of it is true. */
export type Where = Condition | { readonly any: readonly (readonly Where[])[] } | { readonly not: readonly Where[] }

export const isCondition = (where: Where): where is Condition => 'operator' in where

/** Every comparison in these, however deep. */
export function comparisonsIn(where: readonly Where[]): Condition[] {
  return where.flatMap((one) => (isCondition(one) ? [one] : comparisonsIn('not' in one ? one.not : one.any.flat())))
}

/** The same conditions with each comparison replaced. */
export function withComparisons(where: Where, replaced: (condition: Condition) => Condition): Where {
  if (isCondition(where)) return replaced(where)
  const all = (list: readonly Where[]) => list.map((one) => withComparisons(one, replaced))
  return 'not' in where ? { not: all(where.not) } : { any: where.any.map(all) }
}
