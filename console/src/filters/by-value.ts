import { isObject } from '../data/is-object.ts'
import type { DescribedField } from '../session/session.ts'
import { ANY, type Condition, type Filters, isSameKind, NOT } from './conditions.ts'
import { localToday } from './days.ts'

/** What a value that is shown can be filtered by. */
export interface ByValue {
  readonly only: Condition
  /** Undefined where the API cannot exclude it. */
  readonly exclude: Condition | undefined
}

/** Undefined where no filter tells the value from others. A moment stands for its day where the browser is. */
export function byValue({ Name, Type, Operators, Required }: DescribedField, value: unknown): ByValue | undefined {
  const empty = value === null || value === undefined || value === ''
  if (!Operators.includes('eq') || Type === 'choices' || Type === 'json' || (empty && Required) || (typeof value === 'object' && value !== null))
    return undefined
  const compared = empty ? null : Type === 'timestamp' ? localToday(new Date(String(value))) : value
  const excludable = Operators.includes('ne') && (Type !== 'timestamp' || empty)
  return {
    only: { field: Name, operator: 'eq', value: compared },
    exclude: excludable ? { field: Name, operator: 'ne', value: compared } : undefined,
  }
}

/** Two of these on one field can both hold. */
const JOINING: readonly string[] = ['contains', 'startsWith']

/**
 * The conditions with another one. It takes the place of one on the same field with the same operator, but parts of a text apply together,
 * and a second value of a field that is excluded joins the first: neither is shown.
 */
export function withCondition(conditions: readonly Condition[], next: Condition): readonly Condition[] {
  const isSame = (one: Condition) => isSameKind(one, next) && (!JOINING.includes(next.operator) || one.value === next.value)
  const before = conditions.find(isSame)
  const others = conditions.filter((one) => !isSame(one))
  const not = conditions.find(({ field }) => field === NOT)
  const isExcluded = exclusionsIn(not).some((filters) => Object.keys(filters).join() === next.field)
  if (next.operator !== 'ne' || !(isExcluded || (before && before.value !== next.value))) return [...others, next]
  const all = [before, next].flatMap((one) => one ?? []).reduce(excluding, exclusionsIn(not))
  return [...others.filter((one) => one !== not), { field: NOT, operator: 'eq', value: all.length === 1 ? all[0] : { [ANY]: all } }]
}

/** The Filters of which no record that is shown matches any. */
function exclusionsIn(not: Condition | undefined): readonly Filters[] {
  if (!not || !isObject(not.value)) return []
  const { [ANY]: any, ...rest } = not.value as Filters
  return Array.isArray(any) && Object.keys(rest).length === 0 ? any : [not.value]
}

function excluding(all: readonly Filters[], { field, value }: Condition): readonly Filters[] {
  if (value === null) return [...all, { [field]: null }]
  const isList = (filters: Filters) => Object.keys(filters).join() === field && isObject(filters[field]) && Array.isArray(filters[field].in)
  const listed = (all.find(isList)?.[field] as { readonly in: readonly unknown[] } | undefined)?.in ?? []
  return [...all.filter((filters) => !isList(filters)), { [field]: { in: [...new Set([...listed, value])] } }]
}
