import type { CrmError } from 'crm-connector'
import type { Row } from '../records/record-schema.ts'

/** A stage or status; null where a record has none. */
export type State = string | null

/** The cards of one column that are loaded. */
export interface Lane {
  readonly rows: readonly Row[]
  /** Of the next page; undefined before the first, null after the last. */
  readonly cursor: string | null | undefined
  readonly loading: boolean
  readonly error?: CrmError | undefined
}

export type Lanes = ReadonlyMap<State, Lane>

export const NO_CARDS: Lane = { rows: [], cursor: undefined, loading: false }

/**
 * Replaces rows; the function returns the same row where nothing changes. A row whose state is another one now goes to the top of its
 * column, also before that is loaded. The same lanes are returned where nothing changes.
 */
export function patched(lanes: Lanes, state: string, change: (row: Row) => Row): Lanes {
  const arrived = new Map<State, Row[]>()
  const next = new Map<State, Lane>()
  let changed = false
  for (const [value, lane] of lanes) {
    const rows = lane.rows.map(change)
    changed ||= rows.some((row, nth) => row !== lane.rows[nth])
    const [stay, leave] = [rows.filter((row) => stateIn(row, state) === value), rows.filter((row) => stateIn(row, state) !== value)]
    for (const row of leave) arrived.set(stateIn(row, state), [...(arrived.get(stateIn(row, state)) ?? []), row])
    next.set(value, { ...lane, rows: stay })
  }
  if (!changed) return lanes
  for (const [value, more] of arrived) {
    const lane = next.get(value) ?? NO_CARDS
    next.set(value, { ...lane, rows: [...more, ...lane.rows] })
  }
  return next
}

export const stateIn = (row: Row, state: string): State => (row[state] as State | undefined) ?? null

/**
 * The lanes with a page of one of them. A row that another lane has, in the same revision or a later one, was moved while the page was
 * loading and stays there.
 */
export function withPage(lanes: Lanes, value: State, id: string, before: readonly Row[], page: readonly Row[], cursor: string | null): Lanes {
  const elsewhere = new Map([...lanes].flatMap(([other, { rows }]) => (other === value ? [] : rows.map((row) => [row[id], row] as const))))
  const isKnown = new Set(before.map((row) => row[id]))
  const arrived = page.filter((row) => !isKnown.has(row[id]) && !(Number(elsewhere.get(row[id])?.Revision) >= Number(row.Revision)))
  const ids = new Set(arrived.map((row) => row[id]))
  const next = new Map([...lanes].map(([other, lane]) => [other, { ...lane, rows: lane.rows.filter((row) => !ids.has(row[id])) }]))
  return next.set(value, { rows: [...before, ...arrived], cursor, loading: false })
}
