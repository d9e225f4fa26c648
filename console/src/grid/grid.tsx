import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { ColumnEdge } from './column-edge.tsx'
import { useNarrow } from './narrow.ts'
import type { RowPages } from './row-pages.ts'
import './grid.css'

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

interface Props<T> {
  readonly label: string
  readonly rows: RowPages<T>
  /** The next view is loading; the rows are those of the last one. */
  readonly loading: boolean
  readonly columns: readonly GridColumn<T>[]
  /** A row on narrow screens. */
  readonly card: (row: T) => ReactNode
  /** The number of all rows, if known. */
  readonly total: number | undefined
  readonly order: Order | undefined
  readonly onOrder: (field: string) => void
  /** Widths of resized columns in rem. */
  readonly widths: { readonly [column: string]: number }
  readonly onWidth: (column: string, width: number | undefined) => void
  readonly keyOf: (row: T) => string
  readonly hrefOf: (row: T) => string
  readonly nameOf: (row: T) => string
  readonly isDeleted: (row: T) => boolean
  /** Undefined where rows cannot be selected. */
  readonly selection?: { readonly has: (id: string) => boolean; readonly toggle: (row: T, index: number, range: boolean) => void } | undefined
}

const CHECKBOX_REM = 2.5
const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
/** Browsers limit the height of an element, so only a window of this many rows can be scrolled through at a time. */
const MAX_ROWS = 200_000
const HALF_MAX = MAX_ROWS / 2
/** The scroll position of each table, to restore it. */
const POSITIONS = new WeakMap<object, { readonly top: number; readonly active: number; readonly base: number }>()

/** A virtualised table of any length. Arrow keys move from row to row, Enter opens one. */
export function Grid<T>({
  label,
  rows,
  loading,
  columns,
  card,
  total,
  order,
  onOrder,
  widths,
  onWidth,
  keyOf,
  hrefOf,
  nameOf,
  isDeleted,
  selection,
}: Props<T>) {
  const id = useId()
  const narrow = useNarrow()
  const viewport = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const [base, setBase] = useState(0)
  const height = (narrow ? 4 : 2.5) * rem()
  const head = narrow ? 0 : 2.25 * rem()
  const all = Math.min(rows.count(), Math.max(total ?? Number.POSITIVE_INFINITY, rows.total() ?? 0))
  const count = Math.max(0, Math.min(all - base, MAX_ROWS))
  const { getVirtualItems, getTotalSize, scrollToIndex, measure } = useVirtualizer({
    count,
    getScrollElement: () => viewport.current,
    estimateSize: () => height,
    overscan: 10,
    scrollMargin: head,
    scrollPaddingStart: head,
    useFlushSync: false,
  })
  const items = getVirtualItems()
  const [first, last] = [base + (items[0]?.index ?? 0), base + (items.at(-1)?.index ?? 0)]

  useEffect(() => measure(), [height, measure])

  useEffect(() => {
    if (!loading) rows.show(first, last)
  }, [rows, loading, first, last])

  // A new view starts at the top; one that was left for a record is restored.
  useLayoutEffect(() => {
    const position = POSITIONS.get(rows) ?? { top: 0, active: 0, base: 0 }
    setActive(position.active)
    setBase(position.base)
    viewport.current?.scrollTo({ top: position.top })
  }, [rows])
  useLayoutEffect(() => {
    const shown = viewport.current
    const save = () => POSITIONS.set(rows, { top: shown?.scrollTop ?? 0, active, base })
    shown?.addEventListener('scroll', save, { passive: true })
    save()
    return () => shown?.removeEventListener('scroll', save)
  }, [rows, active, base])

  // At its end the window moves on by half; the visible rows stay where they are.
  useLayoutEffect(() => {
    const move = last - base > MAX_ROWS - 100 && all > base + MAX_ROWS ? HALF_MAX : first - base < 100 && base > 0 ? -HALF_MAX : 0
    if (move !== 0) rebase(base + move, (viewport.current?.scrollTop ?? 0) - move * height)
  }, [first, last, base, all, height])

  const rebase = (next: number, top: number) => {
    setBase(next)
    viewport.current?.scrollTo({ top })
    // Tells the virtualiser at once, so that no wrong frame is drawn.
    viewport.current?.dispatchEvent(new Event('scroll'))
  }
  const go = (to: number) => {
    const next = Math.max(0, Math.min(all - 1, to))
    setActive(next)
    if (next >= base) scrollToIndex(next - base)
    else rebase(Math.max(0, next - HALF_MAX), Math.min(next, HALF_MAX) * height)
  }
  const page = Math.max(1, Math.floor((viewport.current?.clientHeight ?? 0) / height) - 2)
  const steps: { readonly [key: string]: number } = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: Number.NEGATIVE_INFINITY, End: all }

  const onKey = (event: KeyboardEvent) => {
    if (event.target !== viewport.current) return
    const row = rows.rowAt(active)
    if (event.key in steps) go(active + (steps[event.key] ?? 0))
    else if (event.key === 'Enter' && row) window.location.hash = hrefOf(row)
    else if (event.key === ' ' && row && selection) selection.toggle(row, active, event.shiftKey)
    else return
    event.preventDefault()
  }

  const shares = narrow
    ? ['minmax(0, 1fr)']
    : columns.map(({ name, width: [least, share] }) => (widths[name] === undefined ? `minmax(${least}rem, ${share}fr)` : `${widths[name]}rem`))
  const drawnColumns = shares.length + (selection ? 1 : 0)
  const template = [...(selection ? [`${CHECKBOX_REM}rem`] : []), ...shares].join(' ')
  const least = narrow ? 0 : columns.reduce((sum, { name, width }) => sum + (widths[name] ?? width[0]), selection ? CHECKBOX_REM : 0)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
    <div
      ref={viewport}
      className={`grid${loading ? ' grid-loading' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={(rows.total() ?? total ?? -2) + 1}
      aria-colcount={drawnColumns}
      aria-busy={loading}
      aria-multiselectable={selection !== undefined}
      aria-activedescendant={rows.rowAt(active) && `${id}-${active}`}
      tabIndex={0}
      onKeyDown={onKey}
    >
      {!narrow && (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
        // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
        <div className="grid-head" role="row" aria-rowindex={1} style={{ height: head, minWidth: `${least}rem`, gridTemplateColumns: template }}>
          {selection && (
            // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
            // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
            <div role="columnheader">
              <span className="seen-by-readers">Selected</span>
            </div>
          )}
          {columns.map((column) => (
            <Head
              key={column.name}
              column={column}
              order={order}
              onOrder={onOrder}
              width={widths[column.name] ?? column.width[0]}
              onWidth={(width) => onWidth(column.name, width)}
            />
          ))}
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one. */}
      <div className="grid-body" role="rowgroup" style={{ height: getTotalSize(), minWidth: `${least}rem` }}>
        {items.map((item) => {
          const index = base + item.index
          const row = rows.rowAt(index)
          const key = row && keyOf(row)
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
            // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles Enter, which opens the row too.
            <div
              key={item.key}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              {...(selection && { 'aria-selected': key !== undefined && selection.has(key) })}
              className={`grid-row${index === active ? ' grid-active' : ''}${row && isDeleted(row) ? ' grid-deleted' : ''}`}
              style={{ height, transform: `translateY(${item.start - head}px)`, gridTemplateColumns: template }}
              onClick={(event) => {
                setActive(index)
                if (row && !(event.target as Element).closest('a, input, label, button') && !window.getSelection()?.toString())
                  window.location.hash = hrefOf(row)
              }}
            >
              {row === undefined ? <LoadingRow columns={drawnColumns} /> : drawn(row, index)}
            </div>
          )
        })}
      </div>
    </div>
  )

  function drawn(row: T, index: number) {
    const checkbox = selection && (
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
    )
    if (narrow)
      return (
        <>
          {checkbox}
          <Cell className="grid-card">
            <a href={hrefOf(row)} tabIndex={-1}>
              {card(row)}
            </a>
          </Cell>
        </>
      )
    return (
      <>
        {checkbox}
        {columns.map(({ name, number, cell }, nth) => (
          <Cell key={name} className={number ? 'grid-number' : ''}>
            {nth === 0 ? (
              <a href={hrefOf(row)} tabIndex={-1}>
                {cell(row)}
              </a>
            ) : (
              <span>{cell(row)}</span>
            )}
          </Cell>
        ))}
      </>
    )
  }
}

/** Sets a tooltip on cells whose text is cut off. */
function showFullText({ currentTarget }: MouseEvent<HTMLElement>): void {
  const shown = currentTarget.firstElementChild
  currentTarget.title = shown && shown.scrollWidth > shown.clientWidth ? (shown.textContent ?? '') : ''
}

function Cell({ className = '', children }: { readonly className?: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
    // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
    <div role="gridcell" className={`grid-cell ${className}`} onMouseEnter={showFullText}>
      {children}
    </div>
  )
}

interface HeadProps<T> extends Pick<Props<T>, 'order' | 'onOrder'> {
  readonly column: GridColumn<T>
  readonly width: number
  readonly onWidth: (width: number | undefined) => void
}

function Head<T>({ column, order, onOrder, width, onWidth }: HeadProps<T>) {
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
      <ColumnEdge label={label} width={width} onWidth={onWidth} />
    </div>
  )
}

function LoadingRow({ columns }: { readonly columns: number }) {
  return Array.from({ length: columns }, (_, nth) => (
    <Cell key={nth}>
      <div className="skeleton grid-skeleton" />
    </Cell>
  ))
}
