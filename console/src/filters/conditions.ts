import { isObject } from '../data/is-object.ts'
import type { DescribedField } from '../session/session.ts'
import { PERIODS } from './days.ts'

/** The Filters of the API: a plain value is equality, null matches an empty field, an object holds operators. */
export type Filters = { readonly [field: string]: unknown }

/** The members of Filters that hold other Filters. */
export const [ANY, NOT] = ['any', 'not'] as const

/** One operator on one field. */
export interface Condition {
  readonly field: string
  readonly operator: string
  readonly value: unknown
}

export function conditionsOf(filters: Filters): Condition[] {
  return Object.entries(filters).flatMap(([field, value]): Condition[] => {
    // One alternative is no alternative: all of its conditions hold.
    if (field === ANY && Array.isArray(value) && value.length === 1 && isObject(value[0])) return conditionsOf(value[0])
    return isObject(value) && field !== NOT
      ? Object.entries(value).map(([operator, operand]) => ({ field, operator, value: operand }))
      : [{ field, operator: 'eq', value }]
  })
}

/** The reverse. Filters hold each operator of a field once; further conditions with it are in an `any` of one alternative, so that all apply. */
export function filtersOf(conditions: readonly Condition[]): Filters {
  const isFurther = (one: Condition, nth: number) => one.field !== ANY && conditions.slice(0, nth).some((other) => isSameKind(one, other))
  const further = conditions.filter(isFurther)
  if (further.length === 0) return filtersOnce(conditions)
  const first = conditions.filter((one) => !further.includes(one))
  const alternatives = first.filter(({ field }) => field === ANY)
  return { ...filtersOnce(first.filter((one) => !alternatives.includes(one))), [ANY]: [filtersOf([...alternatives, ...further])] }
}

/** Whether two conditions are on one field with one operator. */
export const isSameKind = (one: Condition, other: Condition): boolean => one.field === other.field && one.operator === other.operator

function filtersOnce(conditions: readonly Condition[]): Filters {
  const fields = [...new Set(conditions.map(({ field }) => field))]
  return Object.fromEntries(
    fields.map((field) => {
      const operands = Object.fromEntries(conditions.filter((one) => one.field === field).map(({ operator, value }) => [operator, value]))
      const names = Object.keys(operands)
      return [field, names.length === 1 && names[0] === 'eq' && (field === NOT || !isObject(operands.eq)) ? operands.eq : operands]
    }),
  )
}

/** An operator of the API or `between`, `none` and `some` for an empty and a non-empty field, or `within:` and a period. */
export type Choice = string

const DATES: { readonly [operator: string]: string } = {
  eq: 'is on',
  ne: 'is not on',
  gt: 'is after',
  gte: 'is on or after',
  lt: 'is before',
  lte: 'is on or before',
  between: 'is between',
}
const WITHIN = 'within:'
const WORDS: { readonly [operator: string]: string } = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  contains: 'contains',
  startsWith: 'starts with',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  none: 'has no value',
  some: 'has a value',
}

/** The choices for a field, the most common first. */
export function choicesOf({ Type, Operators, Required }: Pick<DescribedField, 'Type' | 'Operators' | 'Required'>): Choice[] {
  // A list as a whole is compared with nothing only.
  if (Type === 'choices') return ['contains', 'none', 'some']
  const firstly = Type === 'longText' || Type === 'text' ? ['contains'] : []
  const all =
    Type === 'date' || Type === 'timestamp'
      ? dayChoices(Type, Operators)
      : [...firstly.filter((one) => Operators.includes(one)), ...Operators.filter((one) => !firstly.includes(one))]
  return Required ? all : [...all, ...(Operators.includes('eq') ? ['none'] : []), ...(Operators.includes('ne') ? ['some'] : [])]
}

/** Days first. A moment is compared with days, so that one or several exact moments are no choice. */
function dayChoices(type: string, operators: readonly string[]): Choice[] {
  const ranged = operators.includes('gte') && operators.includes(type === 'date' ? 'lte' : 'lt')
  const periods = Object.entries(PERIODS).flatMap(([name, { ahead }]) => (ranged && (type === 'date' || !ahead) ? [WITHIN + name] : []))
  const firstly = ['gte', 'lt', 'eq']
  const others = operators.filter((one) => !firstly.includes(one) && (type === 'date' || !['ne', 'in'].includes(one)))
  return [...firstly.filter((one) => operators.includes(one)), ...(ranged ? ['between'] : []), ...periods, ...others]
}

/** Whether a choice takes no value. */
export const isBare = (choice: Choice): boolean => choice === 'none' || choice === 'some' || choice.startsWith(WITHIN)

export function wordsOf(choice: Choice, type: string | undefined): string {
  if (choice.startsWith(WITHIN)) return PERIODS[choice.slice(WITHIN.length)]?.words ?? choice
  return ((type === 'date' || type === 'timestamp') && DATES[choice]) || WORDS[choice] || choice
}

export function choiceOf({ operator, value }: Condition): Choice {
  if (operator === 'within') return `${WITHIN}${value}`
  return value !== null ? operator : operator === 'eq' ? 'none' : operator === 'ne' ? 'some' : operator
}

export function conditionOf(field: string, choice: Choice, value: unknown): Condition {
  if (choice === 'none') return { field, operator: 'eq', value: null }
  if (choice === 'some') return { field, operator: 'ne', value: null }
  if (choice.startsWith(WITHIN)) return { field, operator: 'within', value: choice.slice(WITHIN.length) }
  return { field, operator: choice, value }
}

/** A condition in words: of Filters inside of `any` and `not` those of each; `one` has the words for a condition on a field. */
export function sentenceOf(condition: Condition, one: (condition: Condition) => string): string {
  const all = (filters: unknown) => {
    const parts = conditionsOf(isObject(filters) ? filters : {}).map((inner) => sentenceOf(inner, one))
    return parts.length > 1 ? `(${parts.join(' and ')})` : parts.join()
  }
  if (condition.field === NOT) return `not ${all(condition.value)}`
  if (condition.field !== ANY || !Array.isArray(condition.value)) return one(condition)
  return condition.value.map(all).join(' or ')
}
