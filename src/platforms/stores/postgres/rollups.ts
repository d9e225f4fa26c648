import type { RecordType } from '../../../contract/record.ts'
import type { StoredRecord, Tally, TallyQuery } from '../../platform.ts'
import type { Parameter } from '../sql/dialect.ts'
import { ALL_OWNERS, facetsOf } from '../sql/rollups.ts'
import { quoted } from '../sql/tables.ts'
import { into } from './inserts.ts'
import type { Ask, Pool, Rows } from './pool.ts'
import { Work } from './work.ts'

/**
 * A transaction's changes of the counters of summaries. They are inserted as rows and folded into the counters later, so that no two
 * writes wait for the same counter; summaries add up both.
 */
export class Deltas {
  private readonly deltas = new Map<string, { readonly key: readonly Parameter[]; count: number; amounts: number; amount: bigint }>()

  /** Counts a record that was added (1) or removed (-1). */
  add(type: RecordType, record: StoredRecord, sign: 1 | -1): void {
    const facets = facetsOf(type, record)
    if (!facets) return
    const { owner, state, month, due, amount } = facets
    const key = [type.name, owner, state, month, due ?? null]
    const name = key.join('\u0000')
    const delta = this.deltas.get(name) ?? { key, count: 0, amounts: 0, amount: 0n }
    this.deltas.set(name, delta)
    delta.count += sign
    if (amount === null) return
    delta.amounts += sign
    delta.amount += amount * BigInt(sign)
  }

  writeTo(work: Work, workspace: number): void {
    for (const { key, count, amounts, amount } of this.deltas.values())
      if (count !== 0 || amounts !== 0 || amount !== 0n) work.add({ into: DELTAS, values: [workspace, ...key, count, amounts, String(amount)] })
  }
}

const DELTAS = into('RollupDelta', [
  ['Workspace', 'INTEGER'],
  ['RecordType', 'TEXT'],
  ['OwnerID', 'TEXT'],
  ['State', 'TEXT'],
  ['Month', 'TEXT'],
  ['Due', 'TEXT'],
  ['Count', 'BIGINT'],
  ['Amounts', 'BIGINT'],
  ['Amount', 'NUMERIC'],
])

/** How many deltas are folded in one transaction. */
const FOLDED_AT_ONCE = 5_000

const TAKE = `DELETE FROM "RollupDelta" WHERE "Workspace" = ? AND "Arrived" IN (SELECT "Arrived" FROM "RollupDelta" WHERE "Workspace" = ? ORDER BY "Arrived" LIMIT ${FOLDED_AT_ONCE})
  RETURNING "RecordType", "OwnerID", "State", "Month", "Due", "Count", "Amounts", CAST("Amount" AS TEXT)`

const KEYS = ['RecordType', 'Kind', 'OwnerID', 'State', 'Bucket']
const KEY = `"Workspace", ${KEYS.map(quoted).join(', ')}`
const KEY_LISTS = KEYS.map(() => 'CAST(? AS TEXT[])').join(', ')

const ADD = `INSERT INTO "Rollup" (${KEY}, "Count", "Amounts", "Amount")
  SELECT CAST(? AS INTEGER), * FROM unnest(${KEY_LISTS}, CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS NUMERIC[]))
  ON CONFLICT (${KEY}) DO UPDATE
  SET "Count" = "Rollup"."Count" + excluded."Count", "Amounts" = "Rollup"."Amounts" + excluded."Amounts", "Amount" = "Rollup"."Amount" + excluded."Amount"`

const CLEAR = `DELETE FROM "Rollup" WHERE "Workspace" = ? AND (${KEYS.map(quoted).join(', ')}) IN (SELECT * FROM unnest(${KEY_LISTS})) AND "Count" = 0`

/** Folds deltas into the counters. Resolves to their number. */
export async function foldDeltas(pool: Pool, workspace: number): Promise<number> {
  const work = new Work(pool)
  try {
    const taken = await work.ask(TAKE, [workspace, workspace])
    // Always in the same order, so that two processes that fold cannot deadlock.
    const sums = [...countersOf(taken)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counter]) => counter)
    if (sums.length > 0) {
      const keys = KEYS.map((_, i) => sums.map(({ key }) => key[i] as string))
      const lists = [sums.map(({ count }) => String(count)), sums.map(({ amounts }) => String(amounts)), sums.map(({ amount }) => String(amount))]
      work.run(ADD, [workspace, ...keys, ...lists])
      work.run(CLEAR, [workspace, ...keys])
    }
    await work.commit()
    return taken.length
  } catch (error) {
    await work.rollback()
    throw error
  }
}

/** Sums up deltas by counter. */
function countersOf(deltas: Rows) {
  const counters = new Map<string, { readonly key: readonly string[]; count: number; amounts: number; amount: bigint }>()
  for (const [type, owner, state, month, due, count, amounts, amount] of deltas as readonly (readonly [
    string,
    string,
    string,
    string,
    string | null,
    number,
    number,
    string,
  ])[]) {
    const keys = [
      [type, 'state', owner, state, ''],
      [type, 'month', owner, '', month],
      [type, 'month', ALL_OWNERS, '', month],
      ...(due === null ? [] : [owner, ALL_OWNERS].map((of) => [type, 'due', of, state, due])),
    ]
    for (const key of keys) {
      const name = key.join('\u0000')
      const counter = counters.get(name) ?? { key, count: 0, amounts: 0, amount: 0n }
      counters.set(name, counter)
      counter.count += count
      counter.amounts += amounts
      counter.amount += BigInt(amount)
    }
  }
  return counters
}

export interface StateCell {
  readonly owner: string
  readonly state: string | null
  readonly count: number
  readonly amounts: number
  readonly amount: bigint
}

export function cellOf([owner, state, count, amounts, amount]: readonly unknown[]): StateCell {
  return { owner: owner as string, state: (state as string | null) || null, count: Number(count), amounts: Number(amounts), amount: BigInt(amount as string) }
}

const SUMS = 'SUM(x."Count"), SUM(x."Amounts"), CAST(SUM(x."Amount") AS TEXT)'
const COUNTED = '"Count", "Amounts", "Amount"'

/** The counters of one kind, with the deltas that are not folded yet. */
function counted(kind: string, columns: { readonly rollup: string; readonly delta: string }, owners: readonly string[] | undefined, byOwner: boolean) {
  const among = owners ? ' AND "OwnerID" = ANY(CAST(? AS TEXT[]))' : ''
  const allOwners = !owners && !byOwner ? ` AND "OwnerID" = '${ALL_OWNERS}'` : ''
  const of = `"Workspace" = ? AND "RecordType" = ?`
  return `(SELECT ${columns.rollup}, ${COUNTED} FROM "Rollup" WHERE ${of} AND "Kind" = '${kind}'${among}${allOwners} UNION ALL SELECT ${columns.delta}, ${COUNTED} FROM "RollupDelta" WHERE ${of}${among}) AS x`
}

const statesSql = (owners: readonly string[] | undefined) =>
  `SELECT 'state', x."OwnerID", x."State", CAST(NULL AS TEXT), ${SUMS} FROM ${counted('state', { rollup: '"OwnerID", "State"', delta: '"OwnerID", "State"' }, owners, true)} GROUP BY 2, 3 HAVING SUM(x."Count") <> 0`

const monthsSql = (owners: readonly string[] | undefined) =>
  `SELECT 'month', '', '', x.bucket, ${SUMS} FROM ${counted('month', { rollup: '"Bucket" AS bucket', delta: '"Month" AS bucket' }, owners, false)} GROUP BY 4 HAVING SUM(x."Count") <> 0`

const dueSql = (owners: readonly string[] | undefined) =>
  `SELECT 'due', '', x."State", CASE WHEN x.bucket < ? THEN 'overdue' ELSE 'soon' END, ${SUMS} FROM ${counted('due', { rollup: '"State", "Bucket" AS bucket', delta: '"State", "Due" AS bucket' }, owners, false)} WHERE x.bucket <= ? GROUP BY 3, 4 HAVING SUM(x."Count") <> 0`

export async function statesOf(ask: Ask, workspace: number, { name }: RecordType, owners: readonly string[] | undefined): Promise<StateCell[]> {
  const whose = owners ? [owners] : []
  const rows = await ask(statesSql(owners), [workspace, name, ...whose, workspace, name, ...whose])
  return rows.map(([, owner, state, , ...sums]) => cellOf([owner, state, ...sums]))
}

/** A summary from the counters, in one statement, so that its figures are consistent. */
export async function rolledUp(ask: Ask, workspace: number, { name, due }: RecordType, { owners, today, soon }: TallyQuery): Promise<Tally> {
  const whose = owners ? [owners] : []
  const twice = [workspace, name, ...whose, workspace, name, ...whose]
  const rows = await ask([statesSql(owners), monthsSql(owners), ...(due ? [dueSql(owners)] : [])].join(' UNION ALL '), [
    ...twice,
    ...twice,
    ...(due ? [today, ...twice, soon] : []),
  ])
  const of = (kind: string) => rows.filter(([is]) => is === kind).map(([, owner, state, bucket, ...sums]) => ({ ...cellOf([owner, state, ...sums]), bucket }))
  return {
    states: of('state'),
    months: of('month').map(({ bucket, count }) => ({ month: bucket as string, count })),
    due: of('due').map(({ bucket, ...cell }) => ({ ...cell, when: bucket as 'overdue' | 'soon' })),
  }
}
