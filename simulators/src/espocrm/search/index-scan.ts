import type { Row, Store, Table, Values } from '../store.ts'
import { listIn } from './nested-query.ts'
import type { SearchParams } from './search.ts'

/** The attributes that tables are indexed by: every record has them, and they compare as they are. */
const INDEXED: { readonly [attribute: string]: { readonly of: (row: Row) => string; readonly isValue: RegExp } } = {
  id: { of: ({ id }) => id, isValue: /^[\da-z]+$/ },
  modifiedAt: { of: ({ values }) => String(values.modifiedAt), isValue: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/ },
}

interface Index {
  readonly version: number
  readonly rows: readonly Row[]
  readonly keys: readonly string[]
}

const indexes = new WeakMap<Table, Map<string, Index>>()

/** The records that a list may have, in its order, from the least value that its filter allows on; undefined where there is no index for it. */
export function indexScan(store: Store, scope: string, { orderBy = '', order, where }: SearchParams): Iterable<Row> | undefined {
  if (order === 'DESC' || !Object.hasOwn(INDEXED, orderBy) || store.isLate) return undefined
  const { rows, keys } = indexOf(store.table(scope), orderBy)
  const least = leastOf(orderBy, { type: 'and', value: where })
  return least === undefined ? rows : rowsFrom(rows, firstFrom(keys, least))
}

function* rowsFrom(rows: readonly Row[], from: number): Iterable<Row> {
  for (let at = from; at < rows.length; at++) yield rows[at] as Row
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

const LOWER_BOUNDS = new Set(['equals', 'greaterThan', 'greaterThanOrEquals'])

/** A value that no match is below. */
function leastOf(name: string, item: unknown): string | undefined {
  const { type, attribute, value } = Object(item) as Values
  if (type === 'and' || type === 'or') {
    const bounds = (listIn(value) ?? []).map((one) => leastOf(name, one))
    const known = bounds.filter((bound) => bound !== undefined).sort()
    if (type === 'and') return known.at(-1)
    return known.length === bounds.length ? known[0] : undefined
  }
  const isBound = attribute === name && LOWER_BOUNDS.has(String(type)) && typeof value === 'string' && INDEXED[name]?.isValue.test(value)
  return isBound ? value : undefined
}

function firstFrom(keys: readonly string[], least: string): number {
  let [from, to] = [0, keys.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((keys[middle] as string) < least) from = middle + 1
    else to = middle
  }
  return from
}
