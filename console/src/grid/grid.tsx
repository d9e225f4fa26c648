import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { Menu, type MenuItem, type MenuPlace, placeBelow } from '../parts/menu.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { layOut } from './columns.ts'
import { Head, type HeadProps } from './head.tsx'
import { useNarrow } from './narrow.ts'
import { columnAt, LoadingRow, RowCells, type RowProps } from './row.tsx'
import type { RowPages } from './row-pages.ts'
import { useRowWindow } from './row-window.ts'
import './grid.css'

interface Props<T> extends HeadProps<T>, RowProps<T> {
  readonly label: string
  readonly rows: RowPages<T>
  /** The next view is loading; the rows are those of the last one. */
  readonly loading: boolean
  /** The number of all rows, if known. */
  readonly total: number | undefined
  readonly isDeleted: (row: T) => boolean
  readonly isEditable: (column: string) => boolean
  readonly onEdit: (row: T, column: string) => void
  /** A click on a row, or O. */
  readonly onOpen: (row: T) => void
  /** E, while no row is shown beside the table. */
  readonly onEditRow: ((row: T) => void) | undefined
  /** The row that is shown beside the table; the keys that move on show the next one. */
  readonly shown: string | undefined
  /** What the head of a column offers beside sorting by a click. */
  readonly columnMenu: (column: string) => readonly MenuItem[]
  /** What the value in a column offers; those of all columns of the row unless one is named. */
  readonly valueMenu: (row: T, column?: string) => readonly MenuItem[]
}

interface OpenMenu {
  readonly label: string
  readonly place: MenuPlace
  readonly items: readonly MenuItem[]
}

/** A click on a cell that can be edited waits for a second one. */
const DOUBLE_CLICK_MS = 250
const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16

/** A table of any length, of which the rows in view are drawn. Arrow keys move from row to row and from cell to cell. Enter opens a row, or edits a cell. */
export function Grid<T>(props: Props<T>) {
  const { label, rows, loading, columns, total, widths, keyOf, hrefOf, nameOf, isDeleted, selection, isEditable, onEdit, onOpen, onEditRow, shown } = props
  const { columnMenu, valueMenu } = props
  const id = useId()
  const narrow = useNarrow()
  const viewport = useRef<HTMLDivElement>(null)
  /** The column of the active cell; -1 while the whole row is active. */
  const [activeColumn, setActiveColumn] = useState(-1)
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [menu, setMenu] = useState<OpenMenu>()
  const height = (narrow ? 4 : 2.5) * rem()
  const hasHead = !narrow || selection !== undefined
  const head = hasHead ? 2.25 * rem() : 0
  const all = rows.total() ?? (total === undefined ? rows.count() : Math.max(total, rows.loadedCount()))
  const { active, setActive, base, count, first, last, scrollTo } = useRowWindow(viewport, rows, { all, height, head })
  const inMemory = narrow ? rows.loadedRows().length : 0
  const layout = layOut(columns, { widths, selectable: selection !== undefined, narrow })

  useEffect(() => {
    if (!loading) rows.show(first, last, total)
  }, [rows, loading, first, last, total])

  const go = (to: number) => {
    const next = Math.max(0, Math.min(all - 1, to))
    setActive(next)
    scrollTo(next)
    const row = rows.rowAt(next)
    if (shown !== undefined && row) onOpen(row)
  }
  const cellId = (index: number, nth: number) => `${id}-${index}-${nth}`
  const goToColumn = (to: number) => {
    const next = Math.max(-1, Math.min(columns.length - 1, to))
    setActiveColumn(next)
    document.getElementById(cellId(active, next))?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  /** Whether there is something to edit. */
  const edit = (row: T, nth: number): boolean => {
    const column = columns[nth]
    if (!column || !isEditable(column.name)) return false
    onEdit(row, column.name)
    return true
  }
  // The first key moves to the table, where the active row is seen.
  const step = (by: number) => {
    const hasFocus = viewport.current === document.activeElement
    viewport.current?.focus({ preventScroll: true })
    go(hasFocus || shown !== undefined ? active + by : active)
  }
  const activeRow = rows.rowAt(active)
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ...(activeRow !== undefined && { o: () => onOpen(activeRow) }),
    ...(activeRow !== undefined && shown === undefined && onEditRow && { e: () => onEditRow(activeRow) }),
    ...(activeRow !== undefined && selection && { x: () => selection.toggle(activeRow, active, false) }),
  })
  useEffect(() => () => clearTimeout(opening.current), [])
  // The row that is shown beside the table is the active one.
  useEffect(() => {
    const at = shown === undefined ? -1 : rows.indexOf((row) => keyOf(row) === shown)
    if (at >= 0) setActive(at)
  }, [shown, rows, rows.isLoaded()])
  const page = Math.max(1, Math.floor((viewport.current?.clientHeight ?? 0) / height) - 2)
  const steps: { readonly [key: string]: number } = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: Number.NEGATIVE_INFINITY, End: all }

  const onKey = (event: KeyboardEvent) => {
    if (event.target !== viewport.current) return
    const row = rows.rowAt(active)
    if (event.key in steps) go(active + (steps[event.key] ?? 0))
    else if (event.key === 'ArrowRight' && !narrow) goToColumn(activeColumn + 1)
    else if (event.key === 'ArrowLeft' && !narrow) goToColumn(activeColumn - 1)
    else if (row && (event.key === 'F2' || event.key === 'Enter') && edit(row, activeColumn)) return event.preventDefault()
    else if (event.key === 'Enter' && row) window.location.hash = hrefOf(row)
    else if (event.key === ' ' && row && selection) selection.toggle(row, active, event.shiftKey)
    else if (row && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) openValues(row, document.getElementById(`${id}-${active}`))
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey) && selection) selection.toggleAll()
    else return
    event.preventDefault()
  }

  const open = (opened: OpenMenu) => opened.items.length > 0 && setMenu(opened)
  const openValues = (row: T, drawnRow: Element | null) => drawnRow && open({ label: nameOf(row), place: placeBelow(drawnRow), items: valueMenu(row) })
  const onContextMenu = (event: MouseEvent, row: T, column: string) => {
    const items = valueMenu(row, column)
    if (items.length === 0 || window.getSelection()?.toString()) return
    event.preventDefault()
    open({ label: nameOf(row), place: { x: event.clientX, y: event.clientY }, items })
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
    <div
      ref={viewport}
      className={`grid${loading ? ' grid-loading' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={(rows.total() ?? total ?? -2) + 1}
      aria-colcount={layout.count}
      aria-busy={loading}
      aria-multiselectable={selection !== undefined}
      aria-activedescendant={activeRow && (activeColumn < 0 || narrow ? `${id}-${active}` : cellId(active, activeColumn))}
      tabIndex={0}
      onKeyDown={onKey}
    >
      {hasHead && (
        <Head
          {...props}
          narrow={narrow}
          loaded={inMemory > 0 && inMemory < all ? inMemory : undefined}
          style={{ height: head, minWidth: layout.minWidth, gridTemplateColumns: layout.template }}
          onMenu={(column, button) => open({ label: column.label, place: placeBelow(button), items: columnMenu(column.name) })}
        />
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one. */}
      <div className="grid-body" role="rowgroup" style={{ height: count * height, minWidth: layout.minWidth }}>
        {Array.from({ length: Math.min(count, last - first + 1) }, (_, nth) => {
          const index = first + nth
          const row = rows.rowAt(index)
          const key = row && keyOf(row)
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the grid itself has the focus.
            // biome-ignore lint/a11y/useSemanticElements: a table cannot hold rows that are placed one by one.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles Enter, which opens the row too.
            <div
              key={index - base}
              id={`${id}-${index}`}
              role="row"
              data-key={key}
              aria-rowindex={index + 2}
              {...(selection && { 'aria-selected': key !== undefined && selection.has(key) })}
              aria-current={(key !== undefined && key === shown) || undefined}
              className={`grid-row${index === active ? ' grid-active' : ''}${row && isDeleted(row) ? ' grid-deleted' : ''}`}
              style={{ height, transform: `translateY(${(index - base) * height}px)`, gridTemplateColumns: layout.template }}
              onClick={(event) => {
                const nth = columnAt(event)
                setActive(index)
                setActiveColumn(nth)
                if (!row || event.detail > 1 || (event.target as Element).closest('a, input, label, button') || window.getSelection()?.toString()) return
                if (!isEditable(columns[nth]?.name ?? '')) return onOpen(row)
                opening.current = setTimeout(() => onOpen(row), DOUBLE_CLICK_MS)
              }}
              onDoubleClick={(event) => {
                clearTimeout(opening.current)
                if (row) edit(row, columnAt(event))
              }}
            >
              {row === undefined ? (
                <LoadingRow columns={layout.count} />
              ) : (
                <RowCells
                  {...props}
                  row={row}
                  index={index}
                  narrow={narrow}
                  cellId={(nth) => cellId(index, nth)}
                  activeColumn={index === active ? activeColumn : -1}
                  onContextMenu={(event, column) => onContextMenu(event, row, column)}
                />
              )}
            </div>
          )
        })}
      </div>
      {menu && <Menu {...menu} onClose={() => setMenu(undefined)} />}
    </div>
  )
}
