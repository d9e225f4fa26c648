import type { Row, Store, Table, Values } from '../store.ts'
import { listIn } from './nested-query.ts'
import type { SearchParams } from './search.ts'

const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** The attributes that tables are indexed by: every record has them, and they compare as they are. */
const INDEXED: { readonly [attribute: string]: { readonly of: (row: Row) => string; readonly isValue: RegExp } } = {
  id: { of: ({ id }) => id, isValue: /^[\da-z]+$/ },
  createdAt: { of: ({ values }) => String(values.createdAt), isValue: MOMENT },
  modifiedAt: { of: ({ values }) => String(values.modifiedAt), isValue: MOMENT },
}

interface Index {
  readonly version: number
  readonly rows: readonly Row[]
  readonly keys: readonly string[]
}

const indexes = new WeakMap<Table, Map<string, Index>>()

/** The records that a list may have, in its order, from the first value that its filter allows on; undefined where there is no index for it. */
export function indexScan(store: Store, scope: string, { orderBy = '', order, where }: SearchParams): Iterable<Row> | undefined {
  if (!Object.hasOwn(INDEXED, orderBy) || store.isLate) return undefined
  const { rows, keys } = indexOf(store.table(scope), orderBy)
  const filter = { type: 'and', value: where }
  if (order === 'DESC') {
    const greatest = boundOf(orderBy, filter, UPPER)
    return descending(rows, greatest === undefined ? rows.length : firstWhere(keys, (key) => key > greatest))
  }
  const least = boundOf(orderBy, filter, LOWER)
  return least === undefined
    ? rows
    : ascending(
        rows,
        firstWhere(keys, (key) => key >= least),
      )
}

function* ascending(rows: readonly Row[], from: number): Iterable<Row> {
  for (let at = from; at < rows.length; at++) yield rows[at] as Row
}

function* descending(rows: readonly Row[], before: number): Iterable<Row> {
  for (let at = before - 1; at >= 0; at--) yield rows[at] as Row
}

/** Built anew after a write. */
function indexOf(table: Table, attribute: string): Index {
  const known = indexes.get(table) ?? new Map<string, Index>()
  indexes.set(table, known)
  let index = known.get(attribute)
  if (index?.version !== table.version) {
    const keyOf = (INDEXED[attribute] as (typeof INDEXED)[string]).of
    const keyed = [...table.rows.values()].map((row) => ({ row, key: keyOf(row) }))
    keyed.sort((a, b) => (a.key === b.key ? (a.row.id < b.row.id ? -1 : 1) : a.key < b.key ? -1 : 1))
    index = { version: table.version, rows: keyed.map(({ row }) => row), keys: keyed.map(({ key }) => key) }
    known.set(attribute, index)
  }
  return index
}

interface Bounds {
  readonly operators: ReadonlySet<string>
  /** Which of two bounds, the smaller first, holds where both do. */
  readonly narrower: 0 | -1
}

const LOWER: Bounds = { operators: new Set(['equals', 'greaterThan', 'greaterThanOrEquals']), narrower: -1 }
const UPPER: Bounds = { operators: new Set(['equals', 'lessThan', 'lessThanOrEquals']), narrower: 0 }

/** A value that no match is below, or above. */
function boundOf(name: string, item: unknown, bounds: Bounds): string | undefined {
  const { type, attribute, value } = Object(item) as Values
  if (type === 'and' || type === 'or') {
    const all = (listIn(value) ?? []).map((one) => boundOf(name, one, bounds))
    const known = all.filter((bound) => bound !== undefined).sort()
    if (type === 'and') return known.at(bounds.narrower)
    return known.length === all.length ? known.at(-1 - bounds.narrower) : undefined
  }
  const isBound = attribute === name && bounds.operators.has(String(type)) && typeof value === 'string' && INDEXED[name]?.isValue.test(value)
  return isBound ? value : undefined
}

/** The first key for which the test holds, as it does for all behind it. */
function firstWhere(keys: readonly string[], holds: (key: string) => boolean): number {
  let [from, to] = [0, keys.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(keys[middle] as string)) to = middle
    else from = middle + 1
  }
  return from
}
