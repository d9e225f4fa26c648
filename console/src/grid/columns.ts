import type { ReactNode } from 'react'

export interface GridColumn<T> {
  readonly name: string
  readonly label: string
  readonly sortable: boolean
  readonly number?: boolean
  /** The minimum width in rem, and the share of the remaining space. */
  readonly width: readonly [least: number, share: number]
  readonly cell: (row: T) => ReactNode
}

export interface Order {
  readonly field: string
  readonly descending: boolean
}

export interface GridSelection<T> {
  readonly has: (id: string) => boolean
  /** Whether all rows are selected. */
  readonly all: boolean | 'mixed'
  readonly toggle: (row: T, index: number, range: boolean) => void
  readonly toggleAll: () => void
}

const CHECKBOX_REM = 2.5

/** The widths of resized columns in rem. */
export type Widths = { readonly [column: string]: number }

/** How the columns of a row are laid out, a checkbox before them where rows can be selected. */
export function layOut<T>(columns: readonly GridColumn<T>[], { widths, selectable, narrow }: { widths: Widths; selectable: boolean; narrow: boolean }) {
  const shares = narrow
    ? ['minmax(0, 1fr)']
    : columns.map(({ name, width: [least, share] }) => (widths[name] === undefined ? `minmax(${least}rem, ${share}fr)` : `${widths[name]}rem`))
  const tracks = selectable ? [`${CHECKBOX_REM}rem`, ...shares] : shares
  const least = narrow ? 0 : columns.reduce((sum, { name, width }) => sum + (widths[name] ?? width[0]), selectable ? CHECKBOX_REM : 0)
  return { count: tracks.length, template: tracks.join(' '), minWidth: `${least}rem` }
}
