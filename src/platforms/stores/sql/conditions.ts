import { isCondition } from '../../../contract/conditions.ts'
import { Change } from '../../../contract/records/change.ts'
import type { Condition, Order, Query, Through, Value, Where } from '../../platform.ts'
import { FIRST_MIRROR, isMirror } from '../mirror.ts'
import type { Parameter } from './dialect.ts'
import { idFloor } from './ids.ts'
import { lineRanges, linesIn } from './line-owners.ts'
import { ownValue } from './own-value.ts'
import { OWN, prefixOf, quoted, type Table } from './tables.ts'

/** A piece of SQL and its bound values. Values from callers are always bound, never part of the SQL. */
export interface Fragment {
  readonly sql: string
  readonly bind: readonly Parameter[]
}

/** Restricts to the rows `t` of a workspace or a mirror; of a mirror so that an index of mirrors can be used. */
export const rowsOf = (workspace: number): Fragment => ({
  sql: `t."Workspace" = ?${isMirror(workspace) ? ` AND t."Workspace" >= ${FIRST_MIRROR}` : ''}`,
  bind: [workspace],
})

export const parameter = (value: Value): Parameter => (typeof value === 'boolean' ? (value ? 1 : 0) : value)

/**
 * The left side of a comparison or an order. User-defined values are read from the table that indexes them. Where `useIndex` is false,
 * the column is written so that SQLite does not choose its index instead of the one that the query plan names.
 */
export function operand(
  table: Table,
  of: Pick<Order, 'field' | 'name' | 'family' | 'indexed'> & Pick<Condition, 'through'>,
  useIndex: boolean,
  row = 't',
): Fragment {
  if (of.through) return behind(table, of.through, of)
  if (of.field === OWN) return { sql: ownValue(table, of, row), bind: [] }
  if (of.name !== undefined) {
    return {
      sql: `(SELECT v."Value" FROM "CustomValue" v WHERE v."Workspace" = ${row}."Workspace" AND v."ObjectID" = ${row}.${quoted(table.id)} AND v."FieldName" = ?)`,
      bind: [of.name],
    }
  }
  const column = `${row}.${quoted(of.field)}`
  if (useIndex) return { sql: column, bind: [] }
  return { sql: table.lacks(of.field) ? table.reads(of.field, row) : table.dialect.withoutIndex(column), bind: [] }
}

/** Whether a comparison with the column itself is right: an empty text, where there is no value, is lower than every value. */
export function comparesColumn(table: Table, { field, through, operator, value }: Condition): boolean {
  if (through || !table.lacks(field)) return true
  return Array.isArray(value) ? !value.includes(null) : value !== null && (operator === 'eq' || operator === 'gt' || operator === 'gte')
}

/** A value of the record that a reference points to, which is found by its primary key. */
function behind(table: Table, { field, type, owners }: Through, { field: wanted, name, family, indexed }: Parameters<typeof operand>[1]): Fragment {
  const there = table.inStore(type)
  const { belongs } = there.record
  const value = operand(
    there,
    { field: wanted, ...(name !== undefined && { name }), ...(family && { family }), ...(indexed && { indexed }) },
    !there.lacks(wanted),
    'r',
  )
  const owned = owners && belongs !== null ? [{ sql: table.dialect.among(`r.${quoted(belongs)}`), bind: [table.dialect.texts(owners)] }] : []
  const where = joined([{ sql: `r."Workspace" = t."Workspace" AND r.${quoted(there.id)} = ${reference(table, field)}`, bind: [] }, ...owned])
  return { sql: `(SELECT ${value.sql} FROM ${quoted(there.name)} r WHERE ${where.sql})`, bind: [...value.bind, ...where.bind] }
}

/** A field that holds an id. Those that a workspace has defined are always in an index. */
const reference = (table: Table, field: string) =>
  table.columns.some(({ name }) => name === field) ? `t.${quoted(field)}` : ownValue(table, { name: field, indexed: true }, 't')

/** A bound text where PostgreSQL cannot infer the type. */
const TEXT = 'CAST(? AS TEXT)'

/** Conditions as SQL. The negation of an unknown, a comparison with null, is true, as the contract has it. */
export function whereSql(table: Table, where: Where, useIndex = false): Fragment {
  if (isCondition(where)) return conditionSql(table, where, useIndex)
  const all = (list: readonly Where[]): Fragment => {
    const { sql, bind } = joined(list.map((one) => whereSql(table, one)))
    return { sql: `(${sql || table.dialect.always})`, bind }
  }
  if ('not' in where) {
    const { sql, bind } = all(where.not)
    return { sql: `${sql} IS NOT TRUE`, bind }
  }
  const any = where.any.map(all)
  return { sql: `(${any.map(({ sql }) => sql).join(' OR ') || table.dialect.never})`, bind: any.flatMap(({ bind }) => bind) }
}

/** One condition as SQL. */
export function conditionSql(table: Table, condition: Condition, useIndex = false): Fragment {
  const { sql, bind } = operand(table, condition, useIndex && comparesColumn(table, condition))
  const { dialect } = table
  const bound = (value: Value) => (condition.name === undefined || condition.field === OWN ? parameter(value) : dialect.custom(parameter(value)))
  const one = (text: string, ...values: Value[]): Fragment => ({ sql: text, bind: [...bind, ...values.map(bound)] })
  const value = condition.value as Value
  switch (condition.operator) {
    case 'eq':
      if (value === null) return one(`${sql} IS NULL`)
      return useIndex ? withPrefix(table, condition.field, '=', value, one(`${sql} = ?`, value)) : one(`${sql} = ?`, value)
    case 'ne':
      return value === null ? one(`${sql} IS NOT NULL`) : one(`${sql} ${dialect.differs} ?`, value)
    case 'gt':
      return one(`${sql} > ?`, value)
    case 'gte':
      return one(`${sql} >= ?`, value)
    case 'lt':
      return one(`${sql} < ?`, value)
    case 'lte':
      return one(`${sql} <= ?`, value)
    case 'contains':
      if (condition.family === 'list') return one(dialect.has(sql), value)
      return one(`${dialect.position(dialect.lower(sql), dialect.lower(TEXT))} > 0`, value)
    case 'startsWith':
      return one(`substr(${dialect.lower(sql)}, 1, length(${TEXT})) = ${dialect.lower(TEXT)}`, value, value)
    case 'in': {
      const values = (condition.value as readonly Value[]).filter((item) => item !== null)
      const orNull = (condition.value as readonly Value[]).includes(null)
      const list = values.length > 0 ? `${sql} IN (${padded(values).map(() => '?')})` : dialect.never
      return orNull
        ? { sql: `(${list} OR ${sql} IS NULL)`, bind: [...(values.length > 0 ? [...bind, ...padded(values).map(bound)] : []), ...bind] }
        : values.length > 0
          ? one(list, ...padded(values))
          : { sql: dialect.never, bind: [] }
    }
  }
}

/** Lists are padded to a power of two, so that lists of any length share a few statements. */
function padded(values: readonly Value[]): Value[] {
  const length = 2 ** Math.ceil(Math.log2(values.length))
  return Array.from({ length }, (_, i) => values[Math.min(i, values.length - 1)] as Value)
}

/** A long text is indexed by its first characters only: the comparison is made on both, so that the index can be used. */
function withPrefix(table: Table, field: string, comparison: '=' | '<=' | '>=', value: Value, whole: Fragment): Fragment {
  const column = table.columns.find(({ name }) => name === field)
  if (!column?.prefix) return whole
  return { sql: `${prefixOf(`t.${quoted(field)}`)} ${comparison} ${prefixOf(TEXT)} AND ${whole.sql}`, bind: [parameter(value), ...whole.bind] }
}

/** Conditions on the creation time as ranges of ids, which every index ends with: ids begin with the creation time. */
export function createdBounds(table: Table, where: readonly Where[]): Fragment[] {
  if (!table.idHoldsCreated) return []
  const id = `t.${quoted(table.id)}`
  return where.flatMap((condition): Fragment[] => {
    if (
      !isCondition(condition) ||
      condition.through ||
      condition.field !== table.record.createdField ||
      condition.name !== undefined ||
      typeof condition.value !== 'string'
    )
      return []
    const time = Date.parse(condition.value)
    const [from, until] =
      condition.operator === 'gte'
        ? [time, undefined]
        : condition.operator === 'gt'
          ? [time + 1, undefined]
          : condition.operator === 'lt'
            ? [undefined, time]
            : condition.operator === 'lte'
              ? [undefined, time + 1]
              : condition.operator === 'eq'
                ? [time, time + 1]
                : [undefined, undefined]
    const floor = from === undefined ? undefined : idFloor(from)
    const ceiling = until === undefined ? undefined : idFloor(until)
    return [...(floor ? [{ sql: `${id} >= ?`, bind: [floor] }] : []), ...(ceiling ? [{ sql: `${id} < ?`, bind: [ceiling] }] : [])]
  })
}

/** Restricts to the records of these owners. Their ids are bound as one value, so that any number of owners shares one statement. */
export function ownersSql(table: Table, workspace: number, owners: readonly string[] | undefined, useIndex = false): Fragment[] {
  const { belongs } = table.record
  if (owners === undefined || belongs === null) return []
  const { dialect } = table
  if (table.record === Change) {
    const seen = { sql: dialect.among(table.reads(belongs)), bind: [dialect.texts(owners)] }
    return useIndex ? [linesIn(dialect, workspace, lineRanges(dialect, workspace, owners)), seen] : [seen]
  }
  const plain = `t.${quoted(belongs)}`
  const column = useIndex ? plain : dialect.withoutIndex(plain)
  const [only] = owners
  if (owners.length === 1 && only !== undefined) return [{ sql: `${column} = ?`, bind: [only] }]
  return [{ sql: dialect.among(column), bind: [dialect.texts(owners)] }]
}

export function joined(fragments: readonly Fragment[]): Fragment {
  return { sql: fragments.map(({ sql }) => sql).join(' AND '), bind: fragments.flatMap(({ bind }) => bind) }
}

/** The rows after the previous page, as one or two ranges that are read in turn: null sorts lowest, and no index range spans null and values. */
export function rangesAfter(table: Table, query: Query): Fragment[][] {
  const id = `t.${quoted(table.id)}`
  const { order } = query
  const after = query.after && table.lacks(order.field) ? { ...query.after, value: query.after.value ?? '' } : query.after
  const than = order.descending ? '<' : '>'
  if (ordersById(table, query)) return [after ? [{ sql: `${id} ${than} ?`, bind: [after.id] }] : []]
  if (!after) return [[]]
  const { sql, bind } = operand(table, order, true)
  const ties: Fragment = { sql: `${sql} IS NULL AND ${id} ${than} ?`, bind: [...bind, after.id] }
  if (after.value === null) return order.descending ? [[ties]] : [[ties], [{ sql: `${sql} IS NOT NULL`, bind }]]
  const value = order.field === OWN ? parameter(after.value) : table.dialect.custom(parameter(after.value))
  const beyond: Fragment =
    order.name === undefined
      ? withPrefix(table, order.field, order.descending ? '<=' : '>=', after.value, {
          sql: `(${sql}, ${id}) ${than} (?, ?)`,
          bind: [parameter(after.value), after.id],
        })
      : { sql: `(${sql} ${than} ? OR (${sql} = ? AND ${id} ${than} ?))`, bind: [...bind, value, ...bind, value, after.id] }
  const required = order.name === undefined && table.columns.find((column) => column.name === order.field)?.required
  return order.descending && !required ? [[beyond], [{ sql: `${sql} IS NULL`, bind }]] : [[beyond]]
}

/** Whether the order is that of ids: ids begin with the creation time, so an order by either is the same. */
export function ordersById(table: Table, query: Pick<Query, 'order'>): boolean {
  return query.order.name === undefined && (query.order.field === table.id || (table.idHoldsCreated && query.order.field === table.record.createdField))
}

export const oldestFirst = ({ record }: Table): Order => ({ field: record.createdField, descending: false })

export function orderSql(table: Table, query: Pick<Query, 'order'>): Fragment {
  const direction = query.order.descending ? 'DESC' : 'ASC'
  const id = `t.${quoted(table.id)} ${direction}`
  if (ordersById(table, query)) return { sql: id, bind: [] }
  const { sql, bind } = operand(table, query.order, true)
  const prefix = query.order.name === undefined && table.columns.find(({ name }) => name === query.order.field)?.prefix
  const ordered = (what: string) => `${what} ${direction}${table.dialect.nullsLowest(query.order.descending)}`
  return { sql: `${prefix ? `${ordered(prefixOf(sql))}, ` : ''}${ordered(sql)}, ${id}`, bind }
}
