import { isCondition } from '../../../contract/conditions.ts'
import type { Condition, Order, StoredRecord, Through, Value, Where } from '../../platform.ts'

/** What a condition or an order is about. */
export function valueIn(record: StoredRecord, { field, name }: { readonly field: string; readonly name?: string }): Value {
  const value = record[field] ?? null
  if (name === undefined) return value as Value
  const values = value as { readonly [name: string]: Value } | null
  return values && Object.hasOwn(values, name) ? (values[name] ?? null) : null
}

/** The record that a reference of another one points to, if it is there and may be seen. */
export type Behind = (record: StoredRecord, through: Through) => StoredRecord | undefined

/** Whether a record matches just as the contract says. */
export function matches(record: StoredRecord, where: Where, behind: Behind = () => undefined): boolean {
  if (isCondition(where)) return compares(where.through ? (behind(record, where.through) ?? {}) : record, where)
  const all = (list: readonly Where[]) => list.every((one) => matches(record, one, behind))
  return 'not' in where ? !all(where.not) : where.any.some(all)
}

function compares(record: StoredRecord, condition: Condition): boolean {
  const value = valueIn(record, condition)
  const { operator, value: wanted } = condition
  switch (operator) {
    case 'eq':
      return value === wanted
    case 'ne':
      return value !== wanted
    case 'in':
      return (wanted as readonly Value[]).includes(value)
    case 'contains':
      if (condition.family === 'list') return Array.isArray(value) && value.includes(wanted)
      return typeof value === 'string' && folded(value).includes(folded(wanted as string))
    case 'startsWith':
      return typeof value === 'string' && folded(value).startsWith(folded(wanted as string))
    default: {
      if (value === null) return false
      const side = compared(value, wanted as Value)
      return operator === 'gt' ? side > 0 : operator === 'gte' ? side >= 0 : operator === 'lt' ? side < 0 : side <= 0
    }
  }
}

/** The case of A to Z alone does not count. */
const folded = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Null is lowest, text goes by code point, false comes before true. */
export function compared(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  if (typeof a === 'string' && typeof b === 'string') return byCodePoint(a, b)
  return Number(a) < Number(b) ? -1 : 1
}

/** JavaScript compares halves of characters, which puts some of them out of place. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) === b.charCodeAt(i)) continue
    return (a.codePointAt(i) as number) < (b.codePointAt(i) as number) ? -1 : 1
  }
  return a.length - b.length
}

/** How two records follow each other; ties are broken by id in the direction of the order. */
export function sorting(order: Order, id: string): (a: StoredRecord, b: StoredRecord) => number {
  const way = order.descending ? -1 : 1
  return (a, b) => way * (compared(valueIn(a, order), valueIn(b, order)) || compared(a[id] as string, b[id] as string))
}
