import { csvLine, harmless } from 'crm-connector/files'
import { moneyText, numberText } from '../parts/values.tsx'
import type { Query } from '../routing/router.ts'

/** What a row is among its like; it decides the colour. */
export type Hue = 'plain' | 'won' | 'lost' | 'partial' | 'fresh' | 'aging' | 'old'

export interface Measure {
  readonly name: string
  readonly kind: 'count' | 'money'
}

export interface FigureRow {
  readonly label: string
  /** What the CSV calls it, where people read it otherwise. */
  readonly key?: string
  /** One for each measure. */
  readonly values: readonly number[]
  readonly hue?: Hue
  /** Where the records behind it are. */
  readonly to?: { readonly path: readonly string[]; readonly query: Query } | undefined
}

/** The numbers behind a chart. The chart, its table, its CSV and what is read out of it are all made from them. */
export interface Figures {
  /** What a row stands for: `Stage`, `Month`. */
  readonly of: string
  readonly measures: readonly Measure[]
  readonly rows: readonly FigureRow[]
}

/** Exactly, as a person reads it. */
export const exactText = (value: number, { kind }: Measure): string => (kind === 'money' ? moneyText(value) : numberText(value))

/** More bars than these cannot be told apart; the table has them all. */
const MOST_BARS = 10

/** The rows as bars: the largest in the order given, and the rest as one. */
export function foldedRows(rows: readonly FigureRow[], measure: number): readonly FigureRow[] {
  if (rows.length <= MOST_BARS) return rows
  const size = (row: FigureRow) => Math.abs(row.values[measure] ?? 0)
  const largest = new Set([...rows].sort((a, b) => size(b) - size(a)).slice(0, MOST_BARS - 1))
  const rest = rows.filter((row) => !largest.has(row))
  const values = (rest[0]?.values ?? []).map((_, i) => rest.reduce((sum, row) => sum + (row.values[i] ?? 0), 0))
  return [...rows.filter((row) => largest.has(row)), { label: `${rest.length} others`, values }]
}

const READ_OUT = 12

/** What somebody hears who does not see the chart. */
export function spokenFigures(title: string, { rows, measures }: Figures, shown: number): string {
  const measure = measures[shown] as Measure
  const said = rows.slice(0, READ_OUT).map(({ label, values }) => `${label} ${exactText(values[shown] ?? 0, measure)}`)
  const more = rows.length > READ_OUT ? `, and ${rows.length - READ_OUT} more in the table` : ''
  return `${title}, ${measure.name.toLowerCase()}: ${said.join(', ')}${more}.`
}

/** Numbers are exact. Nobody imports figures again, so that whatever begins like a formula is always made a text. */
export function csvOf({ of, measures, rows }: Figures): string {
  const lines = [[of, ...measures.map(({ name }) => name)], ...rows.map(({ label, key, values }) => [key ?? label, ...values])]
  return lines.map((cells) => csvLine(cells.map(harmless))).join('')
}
