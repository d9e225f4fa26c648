import { Refusal } from '../errors.ts'
import { makeField, NUMERIC } from '../objects/fields.ts'
import type { Row } from '../records/table.ts'
import { round, type Value } from '../records/values.ts'
import { normalized, testOf } from './conditions.ts'
import { sorter } from './order.ts'
import { findRows } from './rows.ts'
import type { Column, Scope } from './scope.ts'
import { malformed } from './tokens.ts'
import type { Expression } from './tree.ts'

const MOST_GROUPS = 2000

interface Group {
  readonly keys: readonly Value[]
  readonly rows: Row[]
  /** By how many of its keys it is grouped; the rest of them are rolled up. */
  readonly kept: number
}

type Fold = (values: readonly Value[], column: Column<Row>) => Value

const FOLDS: { readonly [name: string]: Fold } = {
  COUNT: (values) => values.filter((value) => value !== null).length,
  COUNT_DISTINCT: (values, { field }) => new Set(values.filter((value) => value !== null).map((value) => normalized(field.type, value))).size,
  SUM: (values, column) => sum(values, column),
  AVG: (values, column) => {
    const known = values.filter((value) => value !== null)
    return known.length === 0 ? null : Number(sum(known, column)) / known.length
  },
  MIN: (values, { field }) => extreme(values, (a, b) => (normalized(field.type, a) as string) < (normalized(field.type, b) as string)),
  MAX: (values, { field }) => extreme(values, (a, b) => (normalized(field.type, a) as string) > (normalized(field.type, b) as string)),
}

/** Adds in the smallest units, so that cents add up exactly. */
function sum(values: readonly Value[], { field }: Column<Row>): Value {
  const known = values.filter((value) => typeof value === 'number')
  const unit = 10 ** field.scale
  return known.length === 0 ? null : round(known.reduce((total, value) => total + Math.round(value * unit), 0) / unit, field.scale)
}

function extreme(values: readonly Value[], better: (a: Value, b: Value) => boolean): Value {
  return values.reduce<Value>((best, value) => (value !== null && (best === null || better(value, best)) ? value : best), null)
}

export const isGrouped = ({ query }: Scope) =>
  !query.counts && (query.groupBy.length > 0 || query.items.some((item) => item.kind === 'expression' && folds(item.expression)))

const folds = (expression: Expression) => expression.kind === 'call' && expression.name in FOLDS

const MOST_ROLLED_UP = 3

/** The groups of a query, as they are answered. */
export function findGroups(scope: Scope, deleted: boolean): { readonly [name: string]: unknown }[] {
  const { query } = scope
  const whole = query.groupBy.length === 0
  if (whole && (query.limit !== undefined || query.offset !== undefined)) {
    throw malformed(query.soql, query.fromAt, 'Non-grouped query that uses overall aggregate functions cannot also use LIMIT')
  }
  const keys = query.groupBy.map((expression) => {
    const column = scope.column(expression)
    if (!column.field.groupable) throw malformed(query.soql, expression.at, `field '${column.field.name}' can not be grouped in a query call`)
    return column
  })
  if (query.rollup && keys.length > MOST_ROLLED_UP) {
    throw malformed(query.soql, query.fromAt, `Too many fields in GROUP BY ROLLUP, the maximum is ${MOST_ROLLED_UP}`)
  }
  const names = query.groupBy.map((expression) => nameOf(scope, expression))
  const column = (expression: Expression) => groupColumn(scope, names, keys, expression)
  const shown = shownOf(scope, column)
  const having = query.having && testOf({ scope, column, within: () => new Set<Value>() }, query.having)
  const sort = sorter(scope, query.orderBy, column)
  const rows = findRows(scope.with({ orderBy: [] }), deleted)
  const subtotals = query.rollup ? keys.map((_, at) => keys.length - 1 - at) : []
  const groups = whole ? [{ keys: [], rows, kept: 0 }] : [keys.length, ...subtotals].flatMap((kept) => groupsOf(rows, keys, kept))
  const found = sort(having ? groups.filter(having) : groups)
  const offset = query.offset ?? 0
  const limited = found.slice(offset, query.limit === undefined ? undefined : offset + query.limit)
  if (limited.length > MOST_GROUPS) {
    throw new Refusal(400, 'EXCEEDED_ID_LIMIT', 'Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single batch')
  }
  return limited.map((group) => ({
    attributes: { type: 'AggregateResult' },
    ...Object.fromEntries([...shown].map(([name, { read }]) => [name, read(group)])),
  }))
}

/** The groups of rows that are alike in the first so many keys. */
function groupsOf(rows: readonly Row[], keys: readonly Column<Row>[], kept: number): Group[] {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const values = keys.map(({ read }, at) => (at < kept ? read(row) : null))
    const key = JSON.stringify(values)
    const group = groups.get(key)
    if (group) group.rows.push(row)
    else groups.set(key, { keys: values, rows: [row], kept })
  }
  return [...groups.values()]
}

/** A canonical text of an expression, to compare it with those in GROUP BY. */
function nameOf(scope: Scope, expression: Expression): string {
  if (expression.kind === 'field') return scope.path(expression).join('.').toLowerCase()
  return `${expression.name}(${expression.of ? nameOf(scope, expression.of) : ''})`
}

function groupColumn(scope: Scope, names: readonly string[], keys: readonly Column<Row>[], expression: Expression): Column<Group> {
  const place = names.indexOf(nameOf(scope, expression))
  const key = keys[place]
  if (key) return { field: key.field, read: (group) => group.keys[place] ?? null }
  if (expression.kind === 'call' && expression.name === 'GROUPING' && expression.of) {
    const of = names.indexOf(nameOf(scope, expression.of))
    if (!scope.query.rollup || of < 0) throw malformed(scope.query.soql, expression.at, 'GROUPING() is only for fields of GROUP BY ROLLUP')
    return { field: makeField({ name: 'GROUPING', type: 'int' }), read: ({ kept }) => (of < kept ? 0 : 1) }
  }
  const fold = expression.kind === 'call' ? FOLDS[expression.name] : undefined
  if (expression.kind === 'field' || !fold) {
    const column = scope.column(expression)
    throw malformed(scope.query.soql, expression.at, `Field must be grouped or aggregated: ${column.field.name}`)
  }
  const { name, of, at } = expression
  if (!of) return { field: makeField({ name, type: 'int' }), read: (group) => group.rows.length }
  const column = scope.column(of)
  const numeric = NUMERIC.has(column.field.type)
  const possible = name === 'SUM' || name === 'AVG' ? numeric : column.field.filterable && (name.startsWith('COUNT') || column.field.type !== 'boolean')
  if (!possible) throw malformed(scope.query.soql, at, `field ${column.field.name} does not support aggregate operator ${name}`)
  const field = name.startsWith('COUNT')
    ? makeField({ name, type: 'int' })
    : { ...column.field, type: name === 'AVG' ? ('double' as const) : column.field.type }
  return { field, read: (group) => fold(group.rows.map(column.read), column) }
}

/** The columns of the answer by alias, field name, or `expr0`, `expr1` and so on. */
function shownOf(scope: Scope, column: (expression: Expression) => Column<Group>): Map<string, Column<Group>> {
  const shown = new Map<string, Column<Group>>()
  let unnamed = 0
  for (const item of scope.query.items) {
    if (item.kind !== 'expression') throw malformed(scope.query.soql, scope.query.fromAt, 'Grouped query cannot select FIELDS() or child records')
    const { expression, alias } = item
    const found = column(expression)
    const name = alias ?? (expression.kind === 'field' ? found.field.name : `expr${unnamed++}`)
    if (shown.has(name)) throw malformed(scope.query.soql, expression.at, `duplicate alias: ${name}`)
    shown.set(name, found)
  }
  return shown
}
