import type { Row } from '../records/record-schema.ts'
import type { DescribedField } from '../session/session.ts'
import type { State } from './lanes.ts'

/** A column of a board, with the figures of the summary. */
export interface Column {
  readonly state: State
  readonly label: string
  readonly count: number
  /** Where the records have an amount. */
  readonly amount: number | undefined
  /** Whether cards may be moved here. */
  readonly takes: boolean
}

/**
 * The columns: the values of a closed set, or those that are suggested and in use; a filter by the state leaves those that match. Values
 * that only the summary has come after them by name, and last the records without one: an order that new records do not change.
 */
export function columnsIn(summary: Row, field: DescribedField, isFiltered: boolean): Column[] {
  const groups = (summary[`By${field.Name}`] ?? []) as readonly Row[]
  const found = new Map(groups.map((group) => [(group[field.Name] ?? null) as State, group]))
  const known: readonly string[] = isFiltered ? [] : (field.AllowedValues ?? field.SuggestedValues ?? [])
  const order: readonly State[] = field.AllowedValues ?? field.SuggestedValues ?? []
  const place = (state: State) => (order.includes(state) ? order.indexOf(state) : order.length)
  return [...new Set<State>([...known, ...found.keys()])]
    .sort((one, other) => place(one) - place(other) || Number(one === null) - Number(other === null) || String(one).localeCompare(String(other)))
    .map((state) => ({
      state,
      label: state ?? `No ${field.Label.toLowerCase()}`,
      count: Number(found.get(state)?.Count ?? 0),
      amount: hasAmounts(summary) ? Number(found.get(state)?.Amount ?? 0) : undefined,
      takes: state !== null && (field.AllowedValues?.includes(state) ?? true),
    }))
}

const hasAmounts = (summary: Row) => typeof summary.TotalAmount === 'number'

/** How many records have one of the states that are too many to be columns. */
export const othersIn = (summary: Row): number => Number((summary.Others as Row | undefined)?.Count ?? 0)
