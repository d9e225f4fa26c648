import type { ReactNode } from 'react'
import './table.css'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ReactNode
  readonly number?: boolean
  /** The title is only for screen readers. */
  readonly untitled?: boolean
}

interface Props<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
}

/** A plain table for few rows; `Grid` is for many. */
export function Table<T>({ label, columns, rows, keyOf }: Props<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-scroll" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map(({ title, number, untitled }) => (
              <th key={title} scope="col" className={number ? 'number' : undefined}>
                {untitled ? <span className="seen-by-readers">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, number }) => (
                <td key={title} className={number ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
