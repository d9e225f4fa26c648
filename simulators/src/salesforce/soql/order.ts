import type { Field } from '../objects/fields.ts'
import type { Value } from '../records/values.ts'
import { normalized } from './conditions.ts'
import type { Column, Scope } from './scope.ts'
import type { Expression, Order } from './tree.ts'

/** Sorts records or groups. Nulls come first in both directions, unless NULLS LAST is given. */
export function sorter<T>(scope: Scope, orders: readonly Order[], column: (expression: Expression) => Column<T>): (found: T[]) => T[] {
  if (orders.length === 0) return (found) => found
  const keys = orders.map(({ expression, descending, nullsLast }) => {
    const { field, read } = column(expression)
    if (!field.sortable) throw scope.refused(expression.at, 'MALFORMED_QUERY', `field '${field.name}' can not be sorted in a query call`)
    const rank = ranker(field)
    return { key: (from: T) => rank(read(from)), way: descending ? -1 : 1, missing: nullsLast ? 1 : -1 }
  })
  return (found) => {
    const decorated = found.map((one) => ({ one, by: keys.map(({ key }) => key(one)) }))
    decorated.sort((a, b) => {
      for (const [at, { way, missing }] of keys.entries()) {
        const left = a.by[at] ?? null
        const right = b.by[at] ?? null
        if (left === right) continue
        if (left === null) return missing
        if (right === null) return -missing
        return left < right ? -way : way
      }
      return 0
    })
    return decorated.map(({ one }) => one)
  }
}

/** Sort keys: texts without case, picklists in the order of their values with unknown ones last. */
function ranker(field: Field): (value: Value) => Value {
  if (field.type !== 'picklist') return (value) => normalized(field.type, value)
  const places = new Map(field.picklist.map((value, place) => [value.toLowerCase(), String(place).padStart(5, '0')]))
  return (value) => (typeof value === 'string' ? `${places.get(value.toLowerCase()) ?? '99999'} ${value.toLowerCase()}` : null)
}
