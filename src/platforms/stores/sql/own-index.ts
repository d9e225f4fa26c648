import type { Condition, OwnValues, Query, StoredRecord, Value } from '../../platform.ts'
import { type Fragment, orderSql, ordersById, rangesAfter } from './conditions.ts'
import type { Dialect, Parameter } from './dialect.ts'
import { ownValue } from './own-value.ts'
import { OWN, quoted, type Table } from './tables.ts'

/**
 * Fields that a workspace has defined are kept in one JSON column, so that defining one changes no table. Those to be quick in searches are also in the
 * table "OwnValue", one row for each value, in the order of the values and then of the ids.
 */

/** Long texts are indexed by their first characters. */
const PREFIX = 64

const bound = (dialect: Dialect, value: unknown): Parameter => {
  // By characters, as the databases count them.
  if (typeof value === 'string') return value.length > PREFIX ? [...value.slice(0, 2 * PREFIX)].slice(0, PREFIX).join('') : value
  return dialect.custom(typeof value === 'boolean' ? Number(value) : (value as number))
}

/** The rows of the index for the values of a record. */
export function indexRows(table: Table, own: unknown, id: string): Parameter[][] {
  const { indexed = {} } = (own ?? {}) as OwnValues
  return Object.entries(indexed).flatMap(([name, value]) => (value === null ? [] : [[table.name, name, bound(table.dialect, value), id]]))
}

/** The stored values with these changes, of which null clears one; null where none is left. Values that the caller does not know of stay. */
export function mergedOwn(before: OwnValues, changes: OwnValues): OwnValues | null {
  const merged = (['indexed', 'plain'] as const).map((group) => {
    const values = Object.entries({ ...before[group], ...changes[group] }).filter(([, value]) => value !== null && value !== undefined)
    return [group, Object.fromEntries(values)] as const
  })
  const filled = merged.filter(([, values]) => Object.keys(values).length > 0)
  return filled.length > 0 ? Object.fromEntries(filled) : null
}

/** A record after these changes of its columns. */
export function changed(table: Table, before: StoredRecord, { [OWN]: own, ...changes }: StoredRecord): StoredRecord {
  if (own === undefined) return { ...before, ...changes }
  const { indexed, plain } = (own ?? {}) as OwnValues
  return Object.assign(Object.fromEntries(table.columns.flatMap(({ name }) => (name === OWN ? [] : [[name, before[name] as Value]]))), changes, indexed, plain)
}

export const INSERT_OWN = 'INSERT INTO "OwnValue" ("Workspace", "RecordType", "FieldName", "Value", "RecordID") VALUES (?, ?, ?, ?, ?)'
export const DELETE_OWN = 'DELETE FROM "OwnValue" WHERE "Workspace" = ? AND "RecordType" = ? AND "FieldName" = ? AND "Value" = ? AND "RecordID" = ?'

/** Whether a record, as read, may have such values. */
export const hasOwn = (table: Table, record: StoredRecord): boolean => table.json.has(OWN) && Object.keys(record).length >= table.columns.length

const OF_FIELD = 'v."Workspace" = ? AND v."RecordType" = ? AND v."FieldName" = ?'

const COMPARED: { readonly [operator: string]: string } = { eq: '=', gt: '>=', gte: '>=', lt: '<=', lte: '<=' }

/** Whether the index serves a condition: at least all that match it are in a range of the index. */
export function isIndexed({ through, indexed = false, operator, value }: Condition): boolean {
  if (through || !indexed) return false
  return operator === 'in' ? Array.isArray(value) && value.length > 0 && !value.includes(null) : COMPARED[operator] !== undefined && value !== null
}

/** The range of the index that a condition selects, on the rows `v`. */
function rangeOf(table: Table, workspace: number, { name = '', operator, value }: Condition): Fragment {
  const { dialect } = table
  const compared =
    operator === 'in'
      ? {
          sql: `v."Value" IN (${(value as readonly Value[]).map(() => '?').join(', ')})`,
          bind: (value as readonly Value[]).map((one) => bound(dialect, one)),
        }
      : { sql: `v."Value" ${COMPARED[operator]} ?`, bind: [bound(dialect, value)] }
  return { sql: `${OF_FIELD} AND ${compared.sql}`, bind: [workspace, table.name, name, ...compared.bind] }
}

/** The records that the index has for a condition; at most so many. */
export function indexedSql(table: Table, workspace: number, condition: Condition, most?: number): Fragment {
  const { sql, bind } = rangeOf(table, workspace, condition)
  const limit = most === undefined ? '' : ` LIMIT ${most}`
  return { sql: `t.${quoted(table.id)} IN (SELECT v."RecordID" FROM "OwnValue" v WHERE ${sql}${limit})`, bind }
}

/** A part of a search: where it reads from, which records, and in which order. */
export interface Source {
  readonly from: string
  readonly where: readonly Fragment[]
  readonly order: Fragment
}

const joining = (table: Table) => `"OwnValue" v CROSS JOIN ${quoted(table.name)} t`
const joined = (table: Table) => `t."Workspace" = v."Workspace" AND t.${quoted(table.id)} = v."RecordID"`

/** The records that the index has for a condition: those of an equality can be read in the order of their ids. */
export function conditionSources(table: Table, workspace: number, condition: Condition, query: Query): Source[] {
  const { sql, bind } = rangeOf(table, workspace, condition)
  const found: Fragment = { sql: `${sql} AND ${joined(table)}`, bind }
  const { order, after } = query
  if (condition.operator !== 'eq' || !ordersById(table, query))
    return rangesAfter(table, query).map((range) => ({ from: joining(table), where: [found, ...range], order: orderSql(table, query) }))
  const beyond = after ? [{ sql: `v."RecordID" ${order.descending ? '<' : '>'} ?`, bind: [after.id] }] : []
  return [{ from: joining(table), where: [found, ...beyond], order: { sql: `v."RecordID" ${order.descending ? 'DESC' : 'ASC'}`, bind: [] } }]
}

/** All records in the order of an indexed field: those with a value along the index, those without in the order of their ids. */
export function orderSources(table: Table, workspace: number, query: Query): Source[] {
  const { order, after } = query
  const { descending } = order
  const than = descending ? '<' : '>'
  const id = `t.${quoted(table.id)}`
  const ties = after?.value === null ? [{ sql: `${id} ${than} ?`, bind: [after.id] }] : []
  const empty: Source = {
    from: `${quoted(table.name)} t`,
    where: [{ sql: `${ownValue(table, order, 't')} IS NULL`, bind: [] }, ...ties],
    order: { sql: `${id} ${descending ? 'DESC' : 'ASC'}`, bind: [] },
  }
  const filled = filledSource(table, workspace, query)
  if (after?.value === null) return descending ? [empty] : [empty, filled]
  if (after) return descending ? [filled, empty] : [filled]
  return descending ? [filled, empty] : [empty, filled]
}

/** The records that have a value, in the order of their values. Texts that begin alike are ordered by the whole of them. */
function filledSource(table: Table, workspace: number, { order, after }: Query): Source {
  const than = order.descending ? '<' : '>'
  const direction = order.descending ? 'DESC' : 'ASC'
  const whole = order.family === 'text' ? ownValue(table, order, 't') : undefined
  const where: Fragment[] = [{ sql: `${OF_FIELD} AND ${joined(table)}`, bind: [workspace, table.name, order.name ?? ''] }]
  if (after && after.value !== null) {
    const value = bound(table.dialect, after.value)
    if (whole) where.push({ sql: `v."Value" ${than}= ? AND (${whole}, v."RecordID") ${than} (?, ?)`, bind: [value, after.value as string, after.id] })
    else where.push({ sql: `(v."Value", v."RecordID") ${than} (?, ?)`, bind: [value, after.id] })
  }
  return {
    from: joining(table),
    where,
    order: { sql: `v."Value" ${direction}, ${whole ? `${whole} ${direction}, ` : ''}v."RecordID" ${direction}`, bind: [] },
  }
}
