import type { CSSProperties } from 'react'
import { Icon } from '../parts/icon.tsx'
import { numberText } from '../parts/values.tsx'
import { ColumnEdge } from './column-edge.tsx'
import type { GridColumn, GridSelection, Order, Widths } from './columns.ts'

/** What the head of a table is drawn by. */
export interface HeadProps<T> {
  readonly columns: readonly GridColumn<T>[]
  readonly order: Order | undefined
  readonly onOrder: (field: string) => void
  readonly widths: Widths
  readonly onWidth: (column: string, width: number | undefined) => void
  /** Undefined where rows cannot be selected. */
  readonly selection?: GridSelection<T> | undefined
}

interface Props<T> extends HeadProps<T> {
  /** Rows are cards, without columns: all that is left of the head selects them. */
  readonly narrow: boolean
  /** How many rows are loaded, where there are more. */
  readonly loaded: number | undefined
  readonly style: CSSProperties
  readonly onMenu: (column: GridColumn<T>, button: Element) => void
}

export function Head<T>({ narrow, loaded, style, columns, order, onOrder, widths, onWidth, selection, onMenu }: Props<T>) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
    // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
    <div className="grid-head" role="row" aria-rowindex={1} style={style}>
      {selection && (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
        // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
        <div role="columnheader" className={narrow ? 'grid-select-all' : undefined}>
          <SelectAll {...selection} />
          <span className={narrow ? undefined : 'seen-by-readers'}>
            {!narrow ? 'Selected' : loaded === undefined ? 'Select all' : `Select the ${numberText(loaded)} loaded`}
          </span>
        </div>
      )}
      {(narrow ? [] : columns).map((column) => (
        <ColumnHead
          key={column.name}
          column={column}
          order={order}
          onOrder={onOrder}
          width={widths[column.name] ?? column.width[0]}
          onWidth={(width) => onWidth(column.name, width)}
          onMenu={(button) => onMenu(column, button)}
        />
      ))}
    </div>
  )
}

function SelectAll({ all, toggleAll }: Pick<GridSelection<never>, 'all' | 'toggleAll'>) {
  return (
    <label className="grid-choice">
      <input
        type="checkbox"
        aria-label="Select all loaded rows"
        title="Select all loaded rows"
        checked={all === true}
        ref={(input) => {
          if (input) input.indeterminate = all === 'mixed'
        }}
        onChange={toggleAll}
      />
    </label>
  )
}

interface ColumnHeadProps<T> extends Pick<HeadProps<T>, 'order' | 'onOrder'> {
  readonly column: GridColumn<T>
  readonly width: number
  readonly onWidth: (width: number | undefined) => void
  readonly onMenu: (button: Element) => void
}

function ColumnHead<T>({ column, order, onOrder, width, onWidth, onMenu }: ColumnHeadProps<T>) {
  const { name, label, sortable, number } = column
  const sorted = order?.field === name ? (order.descending ? 'descending' : 'ascending') : undefined
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button in it has the focus.
    // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
    <div role="columnheader" aria-label={label} className={number ? 'grid-number' : undefined} {...(sortable && { 'aria-sort': sorted ?? 'none' })}>
      {sortable ? (
        <button type="button" onClick={() => onOrder(name)} title={`Sort by ${label}`}>
          <span>{label}</span>
          {sorted && <Icon name={sorted === 'ascending' ? 'up' : 'down'} size={14} />}
        </button>
      ) : (
        <span>{label}</span>
      )}
      <button
        type="button"
        className="grid-menu"
        aria-haspopup="menu"
        aria-label={`Column ${label}`}
        title="Sort, filter, hide"
        onClick={({ currentTarget }) => onMenu(currentTarget)}
      >
        <Icon name="more" size={16} />
      </button>
      <ColumnEdge label={label} width={width} onWidth={onWidth} />
    </div>
  )
}
