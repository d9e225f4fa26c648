import type { MouseEvent, ReactNode } from 'react'
import type { GridColumn, GridSelection } from './columns.ts'

/** What the cells of every row of a table are drawn by. */
export interface RowProps<T> {
  readonly columns: readonly GridColumn<T>[]
  readonly keyOf: (row: T) => string
  readonly hrefOf: (row: T) => string
  readonly nameOf: (row: T) => string
  /** A row on narrow screens. */
  readonly card: (row: T) => ReactNode
  /** Undefined where rows cannot be selected. */
  readonly selection?: GridSelection<T> | undefined
}

interface Props<T> extends RowProps<T> {
  readonly row: T
  readonly index: number
  readonly narrow: boolean
  readonly cellId: (nth: number) => string
  /** The column of the active cell; -1 where none of this row is. */
  readonly activeColumn: number
  readonly onContextMenu: (event: MouseEvent, column: string) => void
}

/** The cells of a row, or on narrow screens its card. */
export function RowCells<T>({ row, index, narrow, columns, keyOf, hrefOf, nameOf, card, selection, cellId, activeColumn, onContextMenu }: Props<T>) {
  return (
    <>
      {selection && (
        <Cell>
          <label className="grid-choice">
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`Select ${nameOf(row)}`}
              checked={selection.has(keyOf(row))}
              onChange={(event) => selection.toggle(row, index, (event.nativeEvent as PointerEvent).shiftKey)}
            />
          </label>
        </Cell>
      )}
      {narrow ? (
        <Cell className="grid-card">
          <a href={hrefOf(row)} tabIndex={-1}>
            {card(row)}
          </a>
        </Cell>
      ) : (
        columns.map(({ name, number, cell }, nth) => (
          <Cell
            key={name}
            id={cellId(nth)}
            column={nth}
            className={`${number ? 'grid-number' : ''}${nth === activeColumn ? ' grid-active-cell' : ''}`}
            // The link of the first column has the browser's own menu.
            {...(nth > 0 && { onContextMenu: (event: MouseEvent) => onContextMenu(event, name) })}
          >
            {nth === 0 ? (
              <a href={hrefOf(row)} tabIndex={-1}>
                {cell(row)}
              </a>
            ) : (
              <span>{cell(row)}</span>
            )}
          </Cell>
        ))
      )}
    </>
  )
}

export function LoadingRow({ columns }: { readonly columns: number }) {
  return Array.from({ length: columns }, (_, nth) => (
    <Cell key={nth}>
      <div className="skeleton grid-skeleton" />
    </Cell>
  ))
}

/** The column that was clicked; -1 where none was. */
export function columnAt({ target }: MouseEvent): number {
  return Number((target as Element).closest<HTMLElement>('[data-column]')?.dataset.column ?? -1)
}

/** Where the cell of a row is now, if it is drawn: rows move, and their elements show others then. */
export function drawnCell(key: string, column: number): HTMLElement | null {
  return document.querySelector(`[data-key="${CSS.escape(key)}"] > [data-column="${column}"]`)
}

interface CellProps {
  readonly id?: string
  readonly column?: number
  readonly className?: string
  readonly onContextMenu?: (event: MouseEvent) => void
  readonly children: ReactNode
}

function Cell({ id, column, className = '', onContextMenu, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
    // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
    <div role="gridcell" id={id} data-column={column} className={`grid-cell ${className}`} onMouseEnter={showFullText} onContextMenu={onContextMenu}>
      {children}
    </div>
  )
}

/** Sets a tooltip on cells whose text is cut off. */
function showFullText({ currentTarget }: MouseEvent<HTMLElement>): void {
  const shown = currentTarget.firstElementChild
  currentTarget.title = shown && shown.scrollWidth > shown.clientWidth ? (shown.textContent ?? '') : ''
}
