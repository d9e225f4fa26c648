import { LARGEST_MONEY } from '../../../contract/limits.ts'
import { summed } from '../../../contract/money.ts'
import type { RecordType } from '../../../contract/record.ts'
import type { StoredRecord } from '../../platform.ts'

/**
 * Counters that answer summaries without reading the records. They are updated in the same transaction as the records: by owner and
 * state, by month of creation, and by state and due date. Months and due dates are also counted for all owners together (owner `''`), so
 * that an admin's summary need not add up users.
 */
export interface Counter {
  readonly kind: 'state' | 'month' | 'due'
  readonly owner: string
  /** `''` stands for no state; the contract allows no empty state. */
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
/** The owner of the counters that cover all owners. */
export const ALL_OWNERS = ''

export type Deltas = Map<string, { readonly workspace: number; readonly type: string; readonly counter: Counter }>

/** The properties that a record is counted by. */
interface Facets {
  readonly owner: string
  /** `''` stands for no state. */
  readonly state: string
  readonly month: string
  readonly due: string | undefined
  /** In ten-thousandths. */
  readonly amount: bigint | null
}

export function facetsOf(type: RecordType, record: StoredRecord): Facets | undefined {
  if (!type.state) return undefined
  return {
    owner: record.OwnerID as string,
    state: (record[type.state] as string | null) ?? '',
    month: (record.CreatedDate as string).slice(0, 7),
    due: type.due ? ((record[type.due] as string | null) ?? undefined) : undefined,
    amount: type.amount ? summed(record[type.amount]) : null,
  }
}

/** Counts a record that was added (1) or removed (-1). */
export function addDeltas(deltas: Deltas, workspace: number, type: RecordType, record: StoredRecord, sign: 1 | -1): void {
  const facets = facetsOf(type, record)
  if (!facets) return
  const { amount } = facets
  for (const counter of countersOf(deltas, workspace, type, facets)) {
    counter.count += sign
    if (amount === null) continue
    const exact = amount * BigInt(sign)
    counter.amounts += sign
    counter.high += exact / SPLIT
    counter.low += exact % SPLIT
  }
}

/** Caches the counters of the last record of a transaction: the next record often has the same. */
const cached = new WeakMap<Deltas, { readonly name: string; readonly counters: readonly Counter[] }>()

function countersOf(deltas: Deltas, workspace: number, type: RecordType, { owner, state, month, due = '' }: Facets): readonly Counter[] {
  const name = `${workspace}\u0000${type.name}\u0000${owner}\u0000${state}\u0000${month}\u0000${due}`
  const previous = cached.get(deltas)
  if (previous?.name === name) return previous.counters
  const counterOf = (kind: Counter['kind'], of: string, inState: string, bucket: string): Counter => {
    const key = [workspace, type.name, kind, of, inState, bucket].join('\u0000')
    let entry = deltas.get(key)
    if (!entry) {
      entry = { workspace, type: type.name, counter: { kind, owner: of, state: inState, bucket, count: 0, amounts: 0, high: 0n, low: 0n } }
      deltas.set(key, entry)
    }
    return entry.counter
  }
  const counters = [counterOf('state', owner, state, ''), counterOf('month', owner, '', month), counterOf('month', ALL_OWNERS, '', month)]
  if (due !== '') counters.push(counterOf('due', owner, state, due), counterOf('due', ALL_OWNERS, state, due))
  cached.set(deltas, { name, counters })
  return counters
}

/** SQL that follows the aggregates over an amount column, so that they have what `summed` has. */
export const ofSummed = (column: string) => `FILTER (WHERE ABS(${column}) <= ${LARGEST_MONEY})`

/** SQL that computes the same split over an amount column. */
export function amountSums(column: string): { high: string; low: string } {
  const units = `CAST(${column} AS INTEGER)`
  return {
    high: `SUM(${units} / 1000000) ${ofSummed(column)}`,
    low: `SUM((${units} % 1000000) * 10000 + CAST(ROUND((${column} - ${units}) * 10000) AS INTEGER)) ${ofSummed(column)}`,
  }
}
