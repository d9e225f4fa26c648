import { Fragment, type ReactNode } from 'react'
import './table.css'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ReactNode
  readonly number?: boolean
  /** The title is only for screen readers. */
  readonly untitled?: boolean
  /** Where the table folds, the title stands before the value. */
  readonly labelled?: boolean
}

export interface TableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Each row is a block where there is no room for columns, with the first cell and the last on top; otherwise the table scrolls. */
  readonly folds?: boolean
  /** A line of its own over the cells of a row, in sight however far they are scrolled. */
  readonly above?: (row: T) => ReactNode
}

/** A plain table for few rows; `Grid` is for many. */
export function Table<T>({ label, columns, rows, keyOf, folds = false, above }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-scroll" aria-label={label} tabIndex={0}>
      <table className={`table${folds ? ' table-folds' : ''}`}>
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
            <Fragment key={keyOf(row)}>
              {above && (
                <tr className="table-above">
                  <td colSpan={columns.length}>
                    <div>{above(row)}</div>
                  </td>
                </tr>
              )}
              <tr>
                {columns.map(({ title, cell, number, labelled }) => (
                  <td key={title} className={number ? 'number' : undefined}>
                    {labelled && (
                      <span className="table-label" aria-hidden="true">
                        {title}{' '}
                      </span>
                    )}
                    {cell(row)}
                  </td>
                ))}
              </tr>
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  )
}
