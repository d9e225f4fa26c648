import type { Parameter } from '../sql/dialect.ts'

const view = new DataView(new ArrayBuffer(8))
const SIGN = 1n << 63n
const ALL = (1n << 64n) - 1n

/** Encodes a number as text with the same order, so that user-defined values of every type share an indexed text column. Texts are unchanged. */
export function sortable(value: Parameter): Parameter {
  if (typeof value !== 'number') return value
  // -0 equals 0.
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  const ordered = bits & SIGN ? bits ^ ALL : bits | SIGN
  return ordered.toString(16).padStart(16, '0')
}
