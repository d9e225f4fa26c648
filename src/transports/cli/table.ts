import type { Paint } from './paint.ts'
import { cut, inOneLine, widthOf } from './text.ts'

export interface Column {
  readonly name: string
  /** Numbers stand under each other at their ends. */
  readonly right?: boolean
  /** Is of no use when it is cut: an id, a date. */
  readonly whole?: boolean
  /** Stands out: an id, which other commands take. */
  readonly painted?: boolean
  /** What is wanted least goes first where there is no room: the highest. */
  readonly spare?: number
  /** Whether all of its cells are empty. */
  readonly empty?: boolean
}

/** How wide each column is. */
export interface Layout {
  readonly columns: readonly (Column & { readonly index: number; readonly width: number })[]
  /** The columns that there was no room for. */
  readonly leftOut: readonly string[]
}

const GAP = '  '
/** A column that is cut has at least so much, and more as long as others can be spared. */
const LEAST = 10
const READABLE = 20

/** Gives each column as much as it needs, as far as there is room. */
export function layOut(columns: readonly Column[], rows: readonly (readonly string[])[], most: number): Layout {
  const wanted = columns.map((column, index) => {
    const name = inOneLine(column.name)
    return { ...column, name, index, width: rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(name)) }
  })
  for (let shown = wanted; ; ) {
    const room = most - GAP.length * (shown.length - 1)
    const spared = shown.some(({ spare = 0 }) => spare > 0)
    const fitting =
      narrowed(shown, room, spared ? READABLE : LEAST) ?? (shown.length === 1 ? shown.map((column) => ({ ...column, width: Math.max(1, room) })) : undefined)
    if (fitting) return { columns: fitting, leftOut: wanted.filter((column) => !column.empty && !shown.includes(column)).map(({ name }) => name) }
    const least = Math.max(...shown.map(({ spare = 0 }) => spare))
    const goes = shown.findLast(({ spare = 0 }) => spare === least)
    shown = shown.filter((column) => column !== goes)
  }
}

/** The columns in so much room, the widest cut first; undefined where there is not enough. */
function narrowed<C extends Column & { readonly width: number }>(columns: readonly C[], room: number, least: number): C[] | undefined {
  const total = (cap: number) => columns.reduce((sum, { width, whole }) => sum + (whole ? width : Math.min(width, cap)), 0)
  let cap = Math.max(...columns.map(({ width }) => width))
  if (total(least) > room) return undefined
  while (total(cap) > room) cap--
  return columns.map((column) => ({ ...column, width: column.whole ? column.width : Math.min(column.width, cap) }))
}

export function headLine(layout: Layout, paint: Paint): string {
  return lineOf(
    layout,
    layout.columns.map(({ name }) => name),
    paint.bold,
    paint.bold,
  )
}

export function rowLine(layout: Layout, row: readonly string[], paint: Paint): string {
  return lineOf(
    layout,
    layout.columns.map(({ index }) => row[index] ?? ''),
    paint.cyan,
    (cell) => cell,
  )
}

/** Nothing follows the last cell that says something. */
function lineOf({ columns }: Layout, texts: readonly string[], painted: (cell: string) => string, other: (cell: string) => string): string {
  const last = texts.findLastIndex((text) => text !== '')
  return columns
    .slice(0, last + 1)
    .map((column, i) => {
      const text = cut(texts[i] ?? '', column.width)
      const blanks = ' '.repeat(column.width - widthOf(text))
      const cell = (column.painted ? painted : other)(text)
      return column.right ? blanks + cell : i === last ? cell : cell + blanks
    })
    .join(GAP)
}

/** A whole table. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[], most: number, paint: Paint): string[] {
  const layout = layOut(columns, rows, most)
  return [headLine(layout, paint), ...rows.map((row) => rowLine(layout, row, paint))]
}
