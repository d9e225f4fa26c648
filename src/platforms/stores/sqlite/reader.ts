import { isCondition } from '../../../contract/conditions.ts'
import { recordType } from '../../../contract/operations.ts'
import type { Budget, Found, Query, Reader, SearchMatch, SearchQuery, StoredRecord, Tally, TallyQuery, Where } from '../../platform.ts'
import { createdBounds, type Fragment, joined, oldestFirst, orderSql, ownersSql, rangesAfter, rowsOf, whereSql } from '../sql/conditions.ts'
import { conditionSources, indexedSql, orderSources, type Source } from '../sql/own-index.ts'
import { bytesSql, rowsThatFit } from '../sql/page-bytes.ts'
import { FEW, planQuery, type QueryPlan } from '../sql/query-plan.ts'
import { ALL_OWNERS, amountSums, ofSummed, SPLIT } from '../sql/rollups.ts'
import { hitsOf } from '../sql/search-hits.ts'
import { OWN, queueIndex, quoted, type Table } from '../sql/tables.ts'
import { type Connection, TICK } from './connection.ts'
import { sizesIn, sizesSql } from './page-bytes.ts'
import type { Scans } from './scans.ts'
import { TABLES } from './tables.ts'

export type Searching = (workspace: number, query: SearchQuery, budget?: Budget) => Promise<readonly SearchMatch[]>

/** Reads one workspace over a connection: the reader of a call with this budget. */
export function createReader(connection: Connection, workspace: number, scans: Scans, searching: Searching): (budget?: Budget) => Reader {
  const tableFor = TABLES.in(workspace)
  const inWorkspace = rowsOf(workspace)

  const unlimited: Reader = {
    async get(type, id) {
      return getRecord(connection, workspace, tableFor(type), id)
    },

    async getWithTotals(type, id) {
      const table = tableFor(type)
      const { children } = table.record
      const cells = getCells(connection, workspace, table, id)
      if (!cells) return undefined
      const totals: Record<string, number> = {}
      for (let i = 0; i < children.length; i++) totals[children[i]?.list as string] = cells[table.answered.length + i] as number
      return { record: table.maker(table.answered)(cells), totals }
    },

    async getAll(type, ids) {
      const table = tableFor(type)
      const rows = connection.get(GET_ALL.get(table) as string, [workspace, JSON.stringify(ids)])?.rows
      return typeof rows === 'string' ? (JSON.parse(rows) as unknown[][]).map(table.maker(table.answered)) : []
    },

    find: (type, query) => find(tableFor(type), query),
    tally: (type, query) => tally(tableFor(type), query),

    count: (type, where) => count(tableFor(type), where),

    async firstCreated(type, owners) {
      const table = tableFor(type)
      if (!table.idHoldsCreated && owners) {
        const { records } = await find(table, { where: [], order: oldestFirst(table), limit: 1, fields: ['CreatedDate'], owners })
        return records[0]?.CreatedDate as string | undefined
      }
      if (!table.idHoldsCreated) {
        const row = connection.get(`SELECT MIN(t."CreatedDate") AS at FROM ${quoted(type)} t WHERE ${inWorkspace.sql} AND t."CreatedDate" > ''`, [workspace])
        return typeof row?.at === 'string' ? row.at : undefined
      }
      const id = quoted(table.id)
      const row = owners
        ? connection.get(
            `SELECT MIN((SELECT t.${id} FROM ${quoted(type)} t WHERE t."Workspace" = ? AND t.${quoted(table.record.belongs ?? '')} = o.value ORDER BY t.${id} LIMIT 1)) AS id FROM json_each(?) o`,
            [workspace, JSON.stringify(owners)],
          )
        : connection.get(`SELECT MIN(t.${id}) AS id FROM ${quoted(type)} t WHERE t."Workspace" = ?`, [workspace])
      const first = typeof row?.id === 'string' ? getRecord(connection, workspace, table, row.id) : undefined
      return first?.CreatedDate as string | undefined
    },

    async oldestNotIn(type, owners, states) {
      const table = tableFor(type)
      const state = table.record.state ?? ''
      // The counters list the owners and states that have records: each needs one index lookup.
      const cells = fromRollups(table, { ...(owners && { owners }), where: [], today: '', soon: '' }).states.filter(
        (cell) => cell.state === null || !states.includes(cell.state),
      )
      const at = quoted(table.idHoldsCreated ? table.id : 'CreatedDate')
      const sql = `SELECT t.${at} AS at, t.${quoted(table.id)} AS id FROM ${from(table, queueIndex(table))}
        WHERE ${inWorkspace.sql} AND t.${quoted(state)} IS ? AND t."OwnerID" = ? ORDER BY ${orderSql(table, { order: oldestFirst(table) }).sql} LIMIT 1`
      const found = cells.flatMap((cell) => (connection.get(sql, [workspace, cell.state, cell.owner]) as { at: string; id: string } | undefined) ?? [])
      const [oldest] = found.sort((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1))
      return oldest && getRecord(connection, workspace, table, oldest.id)
    },

    search: async (query) => hitsOf(await searching(workspace, query), query, unlimited.getAll),
    matches: (query) => searching(workspace, query),
  }

  return (budget) =>
    budget
      ? {
          ...unlimited,
          find: (type, query) => find(tableFor(type), query, budget),
          tally: (type, query) => tally(tableFor(type), query, budget),
          count: (type, where) => count(tableFor(type), where, budget),
          search: async (query) => hitsOf(await searching(workspace, query, budget), query, unlimited.getAll),
          matches: (query) => searching(workspace, query, budget),
        }
      : unlimited

  /** Matches are counted only up to FEW: beyond that the exact number makes no difference. */
  function planOf(table: Table, query: Query): QueryPlan {
    return planQuery(table, workspace, query, (range, index) => {
      const { sql, bind } = joined([inWorkspace, range])
      const row = connection.get(`SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${from(table, index)} WHERE ${sql} LIMIT ${FEW})`, bind)
      return row?.n as number
    })
  }

  async function find(table: Table, query: Query, budget?: Budget): Promise<Found> {
    const plan = planOf(table, query)
    const names = namesOf(table, query)
    const make = table.maker(names)
    const bytes = bytesSql(table, names, query)
    const records: StoredRecord[] = []
    for (const { from: source, where: range, order } of sourcesOf(table, query, plan)) {
      const missing = query.limit + 1 - records.length
      if (missing <= 0) break
      const where = joined([...(skips(query, plan) ? [INTERRUPTIBLE] : []), inWorkspace, ...conditions(table, query, plan), ...range])
      const matches = `FROM ${source} WHERE ${where.sql} ORDER BY ${order.sql} LIMIT ?`
      const bind = [...where.bind, ...order.bind]
      const sizes = bytes ? sizesIn(await scans.get(sizesSql(bytes, matches), [...bind, missing], budget)) : undefined
      const wanted = sizes ? rowsThatFit(sizes) : missing
      const row = await scans.get(
        `SELECT '[' || group_concat(cells) || ']' AS rows FROM (SELECT ${query.fields ? cellsSql(table, names) : WHOLE.get(table)} AS cells ${matches})`,
        [...bind, wanted],
        budget,
      )
      if (typeof row?.rows === 'string') for (const cells of JSON.parse(row.rows) as unknown[][]) records.push(make(cells))
      if (sizes && wanted < sizes.length) return { records, more: true }
    }
    const more = records.length > query.limit
    if (more) records.pop()
    return { records, more }
  }

  function sourcesOf(table: Table, query: Query, { index, condition }: QueryPlan): Source[] {
    if (typeof condition === 'object' && condition.indexed) return conditionSources(table, workspace, condition, query)
    if (!condition && query.order.indexed) return orderSources(table, workspace, query)
    return rangesAfter(table, query).map((where) => ({ from: from(table, index), where, order: orderSql(table, query) }))
  }

  async function tally(table: Table, query: TallyQuery, budget?: Budget): Promise<Tally> {
    return query.where.length > 0 ? recount(table, query, budget) : fromRollups(table, query)
  }

  async function count(table: Table, where: readonly Where[], budget?: Budget): Promise<number> {
    const query = { where, order: { field: table.id, descending: false }, limit: 0 }
    const plan = planOf(table, query)
    const few = typeof plan.condition === 'object' && plan.condition.indexed ? [indexedSql(table, workspace, plan.condition)] : []
    const { sql, bind } = joined([INTERRUPTIBLE, inWorkspace, ...conditions(table, query, plan), ...few])
    const row = await scans.get(`SELECT COUNT(*) AS n FROM ${from(table, plan.index)} WHERE ${sql}`, bind, budget)
    return row?.n as number
  }

  /** Counts and sums by reading every match, for summaries with filters: the counters do not know the other fields. */
  async function recount(table: Table, query: TallyQuery, budget?: Budget): Promise<Tally> {
    const { state = '', due, amount } = table.record
    const plan = planOf(table, { ...query, order: { field: table.id, descending: false }, limit: 0 })
    const few = typeof plan.condition === 'object' && plan.condition.indexed ? [indexedSql(table, workspace, plan.condition)] : []
    const { sql, bind } = joined([INTERRUPTIBLE, inWorkspace, ...conditions(table, query, plan), ...few])
    const sums = amount ? amountSums(`t.${quoted(amount)}`) : { high: '0', low: '0' }
    const when = due ? `CASE WHEN ${table.reads(due)} < ? THEN 'overdue' WHEN ${table.reads(due)} <= ? THEN 'soon' END` : 'NULL'
    const rows = await scans.all(
      `SELECT +t."OwnerID" AS owner, +${table.reads(state)} AS state, substr(t."CreatedDate", 1, 7) AS month, ${when} AS due, COUNT(*) AS count,
        ${amount ? `COUNT(*) ${ofSummed(`t.${quoted(amount)}`)}` : '0'} AS amounts, CAST(COALESCE(${sums.high}, 0) AS TEXT) AS high, CAST(COALESCE(${sums.low}, 0) AS TEXT) AS low
        FROM ${from(table, plan.index)} WHERE ${sql} GROUP BY 1, 2, 3, 4`,
      [...(due ? [query.today, query.soon] : []), ...bind],
      budget,
    )
    const cells = rows.map(cellOf)
    return {
      states: cells,
      months: cells,
      due: cells.flatMap(({ when: due, ...cell }) => (due === 'overdue' || due === 'soon' ? [{ ...cell, when: due }] : [])),
    }
  }

  function fromRollups(table: Table, query: TallyQuery): Tally {
    const { name, due } = recordType(table.name)
    const columns = '"OwnerID" AS owner, NULLIF("State", \'\') AS state'
    const sums = 'SUM("Count") AS count, SUM("Amounts") AS amounts, CAST(SUM("High") AS TEXT) AS high, CAST(SUM("Low") AS TEXT) AS low'
    const [mine, ids] = query.owners ? ['"OwnerID" IN (SELECT value FROM json_each(?))', [JSON.stringify(query.owners)]] : [`"OwnerID" = '${ALL_OWNERS}'`, []]
    const of = (kind: string) => `FROM "Rollup" WHERE "Workspace" = ? AND "RecordType" = ? AND "Kind" = '${kind}'`
    const states = connection.all(`SELECT ${columns}, ${sums} ${of('state')}${query.owners ? ` AND ${mine}` : ''} GROUP BY 1, 2`, [workspace, name, ...ids])
    const months = connection.all(`SELECT "Bucket" AS month, ${sums} ${of('month')} AND ${mine} GROUP BY 1`, [workspace, name, ...ids])
    const dues = due
      ? connection.all(
          `SELECT NULLIF("State", '') AS state, CASE WHEN "Bucket" < ? THEN 'overdue' ELSE 'soon' END AS due, ${sums} ${of('due')} AND ${mine} AND "Bucket" <= ? GROUP BY 1, 2`,
          [query.today, workspace, name, ...ids, query.soon],
        )
      : []
    return { states: states.map(cellOf), months: months.map(cellOf), due: dues.map(cellOf).map((cell) => ({ ...cell, when: cell.when as 'overdue' | 'soon' })) }
  }

  /** All conditions of a search. Only the plan's own condition may use an index. */
  function conditions(table: Table, query: Pick<Query, 'where' | 'owners'>, plan: QueryPlan): Fragment[] {
    return [
      ...ownersSql(table, workspace, query.owners, plan.condition === 'owners'),
      ...query.where.map((one) => whereSql(table, one, one === plan.condition || (isCondition(one) && one.field === table.id))),
      ...createdBounds(table, query.where),
    ]
  }
}

const INTERRUPTIBLE: Fragment = { sql: TICK, bind: [] }

/** A page whose only condition is that of its index reads no row in vain. */
const skips = ({ where, owners }: Query, { condition }: QueryPlan) => where.length + (owners ? 1 : 0) > (condition ? 1 : 0)

/** The columns as one JSON list: the driver returns one text much faster than many values. */
function cellsSql(table: Table, names: readonly string[]): string {
  const cells = `json_array(${names.flatMap((name) => (name === OWN ? [] : [table.json.has(name) ? `json(${table.reads(name)})` : table.reads(name)])).join(', ')})`
  // Most of a row of a mirror is in this column: it is passed on as it was written, and not parsed.
  return names[0] === OWN ? `'[' || COALESCE(t.${quoted(OWN)}, 'null') || ',' || substr(${cells}, 2)` : cells
}

const READ = TABLES.all.flatMap((table) => (table.mirror ? [table, table.mirror] : [table]))

const WHOLE = new Map(READ.map((table) => [table, cellsSql(table, table.answered)]))

const from = (table: Table, index: string | undefined) => `${quoted(table.name)} t${index ? ` INDEXED BY ${quoted(index)}` : ''}`

function namesOf(table: Table, query: Query): readonly string[] {
  return query.fields ? table.answered.filter((name) => name === table.id || name === query.order.field || query.fields?.includes(name)) : table.answered
}

export function getRecord(connection: Connection, workspace: number, table: Table, id: string): StoredRecord | undefined {
  const cells = getCells(connection, workspace, table, id)
  return cells && table.maker(table.answered)(cells)
}

/** The columns of a record, then the numbers of its child records. */
function getCells(connection: Connection, workspace: number, table: Table, id: string): unknown[] | undefined {
  const cells = connection.get(GET.get(table) as string, [workspace, id])?.cells
  return typeof cells === 'string' ? JSON.parse(cells) : undefined
}

const GET = new Map(
  READ.map((table) => [
    table,
    `SELECT ${cellsSql(table, [...table.answered, ...table.totals])} AS cells FROM ${quoted(table.name)} t WHERE t."Workspace" = ? AND t.${quoted(table.id)} = ?`,
  ]),
)

const GET_ALL = new Map(
  READ.map((table) => [
    table,
    `SELECT '[' || group_concat(${WHOLE.get(table)}) || ']' AS rows FROM ${quoted(table.name)} t WHERE t."Workspace" = ? AND ${table.dialect.among(`t.${quoted(table.id)}`)}`,
  ]),
)

interface Cell {
  readonly owner: string
  readonly state: string | null
  readonly month: string
  readonly when: string | null
  readonly count: number
  readonly amounts: number
  readonly amount: bigint
}

function cellOf(row: Record<string, unknown>): Cell {
  return {
    owner: row.owner as string,
    state: (row.state as string | null) ?? null,
    month: row.month as string,
    when: (row.due as string | null) ?? null,
    count: row.count as number,
    amounts: row.amounts as number,
    amount: BigInt(row.high as string) * SPLIT + BigInt(row.low as string),
  }
}
