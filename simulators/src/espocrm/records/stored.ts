import { shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import type { Values } from '../store.ts'
import type { ContactEntry } from './values.ts'

/** PHP writes numbers into queries with so many digits. */
const DIGITS = 14

/**
 * Brings values into the form that the database gives back. Only the answer to a write shows them as they were given: addresses in their own
 * letters, and numbers with all of their digits.
 */
export function toStored(scope: Scope, values: Values): void {
  for (const [name, { type }] of shapeOf(scope).fields) {
    const value = values[name]
    if (typeof value === 'number' && (type === 'float' || type === 'currency')) values[name] = Number(value.toPrecision(DIGITS))
    if (typeof value !== 'string' || type !== 'email') continue
    values[name] = value.toLowerCase()
    values[`${name}Data`] = ((values[`${name}Data`] as ContactEntry[] | undefined) ?? []).map((one) => ({ ...one, [name]: one.lower }))
  }
}
