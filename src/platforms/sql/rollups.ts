import { scaled } from '../../contract/money.ts'
import type { RecordType } from '../../contract/record.ts'
import type { StoredRecord } from '../platform.ts'

/**
 * Counters that answer summaries without reading the records. They are kept in the same transaction as the records: by
 * owner and state, by month of birth, and by state and due date. Months and due dates are also kept for everyone together
 * (owner `''`), so that an admin's summary does not add up users.
 */
export interface Counter {
  readonly kind: 'state' | 'month' | 'due'
  readonly owner: string
  /** The state; `''` stands for none, which no state can be. */
  readonly state: string
  /** The month or the due date. */
  readonly bucket: string
  count: number
  amounts: number
  /** The sum in ten-thousandths, split so that neither part can overflow: `high * SPLIT + low`. */
  high: bigint
  low: bigint
}

export const SPLIT = 10_000_000_000n
export const EVERYONE = ''

export type Deltas = Map<string, { readonly workspace: number; readonly type: string; readonly counter: Counter }>

/** What a record is counted by. */
interface Facets {
  readonly owner: string
  /** `''` stands for none, which no state can be. */
  readonly state: string
  readonly month: string
  readonly due: string | undefined
  /** In ten-thousandths. */
  readonly amount: bigint | null
}

export function facetsOf(type: RecordType, record: StoredRecord): Facets | undefined {
  if (!type.state) return undefined
  const amount = type.amount ? (record[type.amount] as number | null | undefined) : null
  return {
    owner: record.OwnerID as string,
    state: (record[type.state] as string | null) ?? '',
    month: (record.CreatedDate as string).slice(0, 7),
    due: type.due ? (record[type.due] as string) : undefined,
    amount: amount === null || amount === undefined ? null : scaled(amount),
  }
}

/** Adds what a record coming (1) or going (-1) does to the counters. */
export function addDeltas(deltas: Deltas, workspace: number, type: RecordType, record: StoredRecord, sign: 1 | -1): void {
  const facets = facetsOf(type, record)
  if (!facets) return
  const { owner, state, month, due, amount } = facets
  add('state', owner, state, '')
  add('month', owner, '', month)
  add('month', EVERYONE, '', month)
  if (due !== undefined) {
    add('due', owner, state, due)
    add('due', EVERYONE, state, due)
  }

  function add(kind: Counter['kind'], of: string, inState: string, bucket: string) {
    const key = [workspace, type.name, kind, of, inState, bucket].join('\u0000')
    let entry = deltas.get(key)
    if (!entry) {
      entry = { workspace, type: type.name, counter: { kind, owner: of, state: inState, bucket, count: 0, amounts: 0, high: 0n, low: 0n } }
      deltas.set(key, entry)
    }
    const { counter } = entry
    counter.count += sign
    if (amount !== null) {
      const exact = amount * BigInt(sign)
      counter.amounts += sign
      counter.high += exact / SPLIT
      counter.low += exact % SPLIT
    }
  }
}

/** The same split made by the database over an amount column. */
export function amountSums(column: string): { high: string; low: string } {
  const units = `CAST(${column} AS INTEGER)`
  return {
    high: `SUM(${units} / 1000000)`,
    low: `SUM((${units} % 1000000) * 10000 + CAST(ROUND((${column} - ${units}) * 10000) AS INTEGER))`,
  }
}
