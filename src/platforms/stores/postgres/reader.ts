import { isCondition } from '../../../contract/conditions.ts'
import { Change } from '../../../contract/records/change.ts'
import { batching } from '../../../helpers/batching.ts'
import type { Query, Reader, StoredRecord, Tally, TallyQuery } from '../../platform.ts'
import { createdBounds, type Fragment, joined, oldestFirst, orderSql, ownersSql, rangesAfter, rowsOf, whereSql } from '../sql/conditions.ts'
import { indexedSql, isIndexed, orderSources, type Source } from '../sql/own-index.ts'
import { bytesSql } from '../sql/page-bytes.ts'
import { FEW } from '../sql/query-plan.ts'
import { ofSummed } from '../sql/rollups.ts'
import { quoted, type Table } from '../sql/tables.ts'
import { withinBytes } from './page-bytes.ts'
import type { Ask } from './pool.ts'
import { amountSum } from './recount.ts'
import { cellOf, rolledUp, statesOf } from './rollups.ts'
import { TABLES } from './tables.ts'

/** The row lock that a read takes. */
export type Lock = '' | ' FOR UPDATE' | ' FOR KEY SHARE'

type Cells = readonly unknown[]

/** Reads one workspace: the reader of a call, which asks what may take long by `askLong`. */
export function createReader(ask: Ask, workspace: number): (askLong?: Ask) => Omit<Reader, 'search'> {
  const tableFor = TABLES.in(workspace)
  const inWorkspace = rowsOf(workspace)
  const oldest = (table: Table) => orderSql(table, { order: oldestFirst(table) }).sql
  const loaders = new Map<string, (id: string) => Promise<Cells | undefined>>()

  return (askLong = ask) => ({
    async get(type, id) {
      const cells = await load(type, id)
      return cells && recordIn(tableFor(type), cells)
    },

    async getWithTotals(type, id) {
      const cells = await load(type, id)
      return cells && withTotals(tableFor(type), cells)
    },

    async getAll(type, ids) {
      const rows = ids.length > 0 ? await ask(GET_MANY.get(tableFor(type)) as string, [workspace, ids]) : []
      return rows.map((cells) => recordIn(tableFor(type), cells))
    },

    async find(type, query) {
      const table = tableFor(type)
      const names = namesOf(table, query)
      const columns = names.map((name) => table.reads(name)).join(', ')
      const make = table.maker(names, 'text')
      const bytes = bytesSql(table, names, query)
      const records: StoredRecord[] = []
      const fewLines = await hasFewLines(table, query)
      for (const { from, where: range, order } of sourcesOf(table, query)) {
        const missing = query.limit + 1 - records.length
        if (missing <= 0) break
        const where = joined([inWorkspace, ...conditions(table, query, fewLines), ...range])
        const matches = `FROM ${from} WHERE ${where.sql} ORDER BY ${order.sql} LIMIT ?`
        const sql = bytes ? withinBytes(columns, bytes, matches) : `SELECT ${columns} ${matches}`
        const rows = await (isLong(query) ? askLong : ask)(sql, [...where.bind, ...order.bind, missing])
        for (const cells of rows) records.push(make(cells))
        if (bytes && rows.length < Number(rows[0]?.at(-1) ?? 0)) return { records, more: true }
      }
      const more = records.length > query.limit
      if (more) records.pop()
      return { records, more }
    },

    tally: (type, query) => (query.where.length > 0 ? recount(askLong, tableFor(type), query) : rolledUp(ask, workspace, tableFor(type).record, query)),

    async count(type, where) {
      const { sql, bind } = joined([inWorkspace, ...conditions(tableFor(type), { where })])
      const [row] = await askLong(`SELECT COUNT(*) FROM ${quoted(type)} t WHERE ${sql}`, bind)
      return Number(row?.[0])
    },

    async firstCreated(type, owners) {
      const table = tableFor(type)
      const first = (whose: string) => `SELECT t."CreatedDate" FROM ${quoted(type)} t WHERE ${inWorkspace.sql}${whose} ORDER BY ${oldest(table)} LIMIT 1`
      const [row] = owners
        ? await ask(
            `SELECT f.created FROM unnest(CAST(? AS TEXT[])) AS o(id) CROSS JOIN LATERAL (${first(` AND t.${quoted(table.record.belongs ?? '')} = o.id`)}) AS f(created) ORDER BY f.created LIMIT 1`,
            [owners, workspace],
          )
        : await ask(first(''), [workspace])
      return row?.[0] as string | undefined
    },

    async oldestNotIn(type, owners, states) {
      const table = tableFor(type)
      const id = quoted(table.id)
      // The counters list the owners and states that have records: each needs one index lookup.
      const cells = (await statesOf(ask, workspace, table.record, owners)).filter(({ state }) => state === null || !states.includes(state))
      const [row] = await ask(
        `SELECT f.id FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[])) AS o(owner, state) CROSS JOIN LATERAL (
          SELECT t.${id}, t."CreatedDate" FROM ${quoted(type)} t WHERE ${inWorkspace.sql} AND t.${quoted(table.record.state ?? '')} IS NOT DISTINCT FROM o.state AND t."OwnerID" = o.owner ORDER BY ${oldest(table)} LIMIT 1
        ) AS f(id, created) ORDER BY f.created COLLATE "C", f.id COLLATE "C" LIMIT 1`,
        [cells.map(({ owner }) => owner), cells.map(({ state }) => state) as string[], workspace],
      )
      return typeof row?.[0] === 'string' ? getRecord(ask, workspace, table, row[0]) : undefined
    },
  })

  /** Where there are conditions, the planner chooses their indexes, and few matches are sorted. */
  function sourcesOf(table: Table, query: Query): Source[] {
    if (query.order.indexed && query.where.length === 0 && !query.owners) return orderSources(table, workspace, query)
    return rangesAfter(table, query).map((where) => ({ from: `${quoted(table.name)} t`, where, order: orderSql(table, query) }))
  }

  /** The cells of a record. Concurrent reads of one record type share a query. */
  function load(type: string, id: string): Promise<Cells | undefined> {
    let loader = loaders.get(type)
    if (!loader) {
      loader = batching({ groups: 4, most: 100 }, (ids) => loadMany(tableFor(type), ids))
      loaders.set(type, loader)
    }
    return loader(id)
  }

  async function loadMany(table: Table, ids: readonly string[]): Promise<(Cells | undefined)[]> {
    const [only] = ids
    if (ids.length === 1 && only !== undefined) return [(await ask(GET.get(table) as string, [workspace, only]))[0]]
    const rows = await ask(GET_MANY.get(table) as string, [workspace, ids])
    const at = table.answered.indexOf(table.id)
    const found = new Map(rows.map((cells) => [cells[at], cells]))
    return ids.map((id) => found.get(id))
  }

  /** Counts and sums by reading every match, for summaries with filters: the counters do not know the other fields. */
  async function recount(askLong: Ask, table: Table, query: TallyQuery): Promise<Tally> {
    const { state = '', due, amount } = table.record
    const { sql, bind } = joined([inWorkspace, ...conditions(table, query)])
    const when = due ? `CASE WHEN ${table.reads(due)} < ? THEN 'overdue' WHEN ${table.reads(due)} <= ? THEN 'soon' END` : 'CAST(NULL AS TEXT)'
    const rows = await askLong(
      `SELECT t."OwnerID", ${table.reads(state)}, substr(t."CreatedDate", 1, 7), ${when}, COUNT(*),
        ${amount ? `COUNT(*) ${ofSummed(`t.${quoted(amount)}`)}, CAST(COALESCE(${amountSum(`t.${quoted(amount)}`)}, 0) AS TEXT)` : `CAST(0 AS BIGINT), '0'`}
        FROM ${quoted(table.name)} t WHERE ${sql} GROUP BY 1, 2, 3, 4`,
      [...(due ? [query.today, query.soon] : []), ...bind],
    )
    const cells = rows.map(([owner, inState, month, when, count, amounts, sum]) => ({
      ...cellOf([owner, inState, count, amounts, sum]),
      month: month as string,
      when,
    }))
    return {
      states: cells,
      months: cells,
      due: cells.flatMap(({ when, ...cell }) => (when === 'overdue' || when === 'soon' ? [{ ...cell, when }] : [])),
    }
  }

  /** Whether a search in the audit is for owners with few lines, which are then collected; else it is cheaper to scan in order. */
  async function hasFewLines(table: Table, { owners }: Query): Promise<boolean> {
    if (table.record !== Change || !owners) return false
    const few = (from: string) => `(SELECT COUNT(*) FROM (SELECT 1 FROM ${from} LIMIT ${FEW}) AS few)`
    // Each owner and record is one index lookup, and counting ends with the limit; as one condition it would read all matches first.
    const lines = (of: string) => `CROSS JOIN LATERAL (SELECT 1 FROM "Change" t WHERE ${inWorkspace.sql} AND ${of} LIMIT ${FEW}) AS lines`
    const [row] = await ask(
      `SELECT ${few(`unnest(CAST(? AS TEXT[])) AS o(id) ${lines('t."OwnerID" = o.id')}`)} +
        ${few(`"RecordOwner" r ${lines('t."RecordID" = r."RecordID"')} WHERE r."Workspace" = ? AND r."OwnerID" = ANY(CAST(? AS TEXT[]))`)}`,
      [owners, workspace, workspace, workspace, owners],
    )
    return Number(row?.[0]) < FEW
  }

  function conditions(table: Table, query: Pick<Query, 'where' | 'owners'>, fewLines = false): Fragment[] {
    return [
      ...ownersSql(table, workspace, query.owners, fewLines),
      ...query.where.map((one) => whereSql(table, one, true)),
      ...query.where.flatMap((one) => (isCondition(one) && isIndexed(one) ? [indexedSql(table, workspace, one)] : [])),
      ...createdBounds(table, query.where),
    ]
  }
}

/**
 * Whether many rows are read, or rows in vain: one condition that an index serves, in the order of ids or its own, reads only what matches.
 */
const isLong = ({ where, owners, limit }: Query) =>
  limit > MANY ||
  where.length + (owners ? 1 : 0) > 1 ||
  where.some((one) => !isCondition(one) || one.through || one.name !== undefined || !INDEXED.has(one.operator))

const INDEXED: ReadonlySet<string> = new Set(['eq', 'in'])

/** Records that take as long as a search does. */
const MANY = 200

function namesOf(table: Table, query: Query): readonly string[] {
  return query.fields ? table.answered.filter((name) => name === table.id || name === query.order.field || query.fields?.includes(name)) : table.answered
}

export async function getRecord(ask: Ask, workspace: number, table: Table, id: string, lock: Lock = ''): Promise<StoredRecord | undefined> {
  const [cells] = await ask(`${GET.get(table)}${lock}`, [workspace, id])
  return cells && recordIn(table, cells)
}

export async function getRecords(ask: Ask, workspace: number, table: Table, ids: readonly string[]): Promise<StoredRecord[]> {
  return (await ask(GET_MANY.get(table) as string, [workspace, ids])).map((cells) => recordIn(table, cells))
}

const recordIn = (table: Table, cells: Cells): StoredRecord => table.maker(table.answered, 'text')(cells)

/** A record with the numbers of its child records. */
export async function getWithTotals(ask: Ask, workspace: number, table: Table, id: string, lock: Lock = '') {
  const [cells] = await ask(`${GET.get(table)}${lock}`, [workspace, id])
  return cells && withTotals(table, cells)
}

function withTotals(table: Table, cells: Cells) {
  const totals = Object.fromEntries(table.record.children.map(({ list }, i) => [list, cells[table.answered.length + i] as number]))
  return { record: recordIn(table, cells), totals }
}

const getting = (which: (table: Table) => string) =>
  new Map(
    TABLES.all
      .flatMap((table) => (table.mirror ? [table, table.mirror] : [table]))
      .map((table) => {
        const columns = [...table.answered, ...table.totals].map((name) => table.reads(name)).join(', ')
        return [table, `SELECT ${columns} FROM ${quoted(table.name)} t WHERE t."Workspace" = ? AND ${which(table)}`]
      }),
  )

const GET = getting((table) => `t.${quoted(table.id)} = ?`)
const GET_MANY = getting((table) => table.dialect.among(`t.${quoted(table.id)}`))
