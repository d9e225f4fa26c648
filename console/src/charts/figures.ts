import { csvLine, withoutFormula } from 'crm-connector/files'
import { compactMoneyText, moneyText } from '../parts/money.ts'
import { compactText, numberText } from '../parts/values.tsx'
import type { Query } from '../routing/router.ts'

/** Decides the colour of a row. */
export type Hue = 'plain' | 'won' | 'lost' | 'partial' | 'fresh' | 'aging' | 'old'

export interface Measure {
  readonly name: string
  readonly kind: 'count' | 'money'
  /** Its colour where the measures are drawn beside each other. */
  readonly hue?: Hue
}

export interface FigureRow {
  readonly label: string
  /** The label in the CSV, if it differs. */
  readonly key?: string
  /** One for each measure. */
  readonly values: readonly number[]
  readonly hue?: Hue
  /** The axis does not reach as far as this row, so that the others can be told apart. */
  readonly offScale?: boolean
  /** The link to its records. */
  readonly to?: { readonly path: readonly string[]; readonly query: Query } | undefined
}

/** The numbers from which chart, table, CSV and screen reader text are made. */
export interface Figures {
  /** The dimension of the rows: `Stage`, `Month`. */
  readonly of: string
  readonly measures: readonly Measure[]
  readonly rows: readonly FigureRow[]
  /** Draws a bar for each measure of a row, instead of those of one measure. */
  readonly together?: boolean
}

export const exactText = (value: number, { kind }: Measure): string => (kind === 'money' ? moneyText(value) : numberText(value))
export const shortText = (value: number, { kind }: Measure): string => (kind === 'money' ? compactMoneyText(value) : compactText(value))

/** A chart folds more rows into one bar; the table has all. */
const MOST_BARS = 10

/** The rows as bars: the largest in the given order, and the rest as one. */
export function foldedRows(rows: readonly FigureRow[], measure: number): readonly FigureRow[] {
  if (rows.length <= MOST_BARS) return rows
  const size = (row: FigureRow) => Math.abs(row.values[measure] ?? 0)
  const largest = new Set([...rows].sort((a, b) => size(b) - size(a)).slice(0, MOST_BARS - 1))
  const rest = rows.filter((row) => !largest.has(row))
  const values = (rest[0]?.values ?? []).map((_, i) => rest.reduce((sum, row) => sum + (row.values[i] ?? 0), 0))
  return [...rows.filter((row) => largest.has(row)), { label: `${rest.length} others`, values }]
}

const READ_OUT = 12

/** The text for screen readers. */
export function spokenFigures(title: string, { rows, measures, together = false }: Figures, shown: number): string {
  if (together) return measures.map((_, nth) => spokenFigures(title, { rows, measures, of: '' }, nth)).join(' ')
  const measure = measures[shown] as Measure
  const spoken = rows.slice(0, READ_OUT).map(({ label, values }) => `${label} ${exactText(values[shown] ?? 0, measure)}`)
  const more = rows.length > READ_OUT ? `, and ${rows.length - READ_OUT} more in the table` : ''
  return `${title}, ${measure.name.toLowerCase()}: ${spoken.join(', ')}${more}.`
}

/** Exact numbers. Texts that a spreadsheet would read as a formula are escaped, since figures are never imported again. */
export function csvOf({ of, measures, rows }: Figures): string {
  const lines = [[of, ...measures.map(({ name }) => name)], ...rows.map(({ label, key, values }) => [key ?? label, ...values])]
  return lines.map((cells) => csvLine(cells.map(withoutFormula))).join('')
}
