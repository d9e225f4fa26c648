import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useLiveAnswer } from '../data/live-answer.ts'
import { Skeleton } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { summaryOf } from '../records/calls.ts'
import { LiveChanges } from '../records/live-changes.tsx'
import { useLiveRows } from '../records/live-rows.ts'
import { NoRecords } from '../records/no-records.tsx'
import { columnsShown, nameOf, type RecordSchema, type Row } from '../records/record-schema.ts'
import { includeOf } from '../records/record-value.tsx'
import { RecordsFrame } from '../records/records-frame.tsx'
import { RecordsRefused } from '../records/records-refused.tsx'
import { ResultCount } from '../records/result-count.tsx'
import { SortChoice } from '../records/sort-choice.tsx'
import { useRecordsView } from '../records/use-records-view.ts'
import { orderOf, type View } from '../records/view.ts'
import { go } from '../routing/router.ts'
import { type DescribedField, useSession } from '../session/session.ts'
import { BoardCard } from './board-card.tsx'
import { BoardLane } from './board-lane.tsx'
import { columnsIn, othersIn } from './columns.ts'
import { type Lanes, NO_CARDS, stateIn } from './lanes.ts'
import { useCarrying } from './use-carrying.ts'
import { useLanes } from './use-lanes.ts'
import { useMove } from './use-move.tsx'
import './board.css'

interface Props {
  readonly schema: RecordSchema
  readonly view: View
  readonly acts?: ReactNode
}

/** The records as cards in columns by stage or status, with the filters and the order of the table. */
export function Board({ schema, view, acts }: Props) {
  const { crm } = useSession()
  const of = useRecordsView(schema, view)
  const { filters, filtered, fields, searchState, show } = of
  const state = schema.state as string
  const field = fields.find(({ Name }) => Name === state) as DescribedField
  const facts = useMemo(() => factsOf(schema, view.columns), [schema, view.columns?.join(',')])
  const summary = useLiveAnswer(schema.recordType, (signal) => summaryOf(crm, schema, filters, { signal }), [crm, schema, filters])
  const query = useMemo(() => {
    const names = facts.map(({ Name }) => Name)
    const select = [...new Set([schema.id, ...schema.titles, state, 'Revision', ...names])]
    return { filters, order: view.order, select, include: includeOf(schema, names) }
  }, [schema, state, filters, view.order, facts])
  const { lanes, rows } = useLanes(schema, state, query)
  const affecting = [...Object.keys(filters), orderOf(view.order)?.field ?? '']
  const { changes, isDeleted, refresh, afterWrite } = useLiveRows(schema, rows, affecting, summary.reload)

  const columns = useMemo(() => (summary.answer && field ? columnsIn(summary.answer, field, state in filters) : []), [summary.answer, field, filters])
  const [moving, setMoving] = useState<ReadonlySet<unknown>>(new Set())
  const board = useRef<HTMLDivElement>(null)
  const focusAfter = useRef<string>(undefined)
  /** The card with the focus, also while it is drawn nowhere. */
  const focused = useRef<string>(undefined)
  const set = (row: Row) => rows.patch((one) => (one[schema.id] === row[schema.id] ? { ...one, ...row } : one))
  const onUndone = (row: Row) => {
    // Its button went with the focus.
    if (isFocusLost()) focused.current = String(row[schema.id])
    afterWrite()
  }
  const { move, dialog } = useMove(schema, state, { onRow: set, onMoved: summary.reload, onUndone })
  const moveTo = async (row: Row, to: string) => {
    const id = row[schema.id]
    focusAfter.current = String(id)
    setMoving((all) => new Set([...all, id]))
    await move(row, to)
    setMoving((all) => new Set([...all].filter((one) => one !== id)))
  }
  const carrying = useCarrying(schema, state, columns, (row, to) => void moveTo(row, to))
  const { carried } = carrying
  const movable = schema.operation('update') !== undefined && schema.editableFields.some(({ Name }) => Name === state)

  // A card that was moved is another element in another column; the focus follows it.
  const cardAt = (id: string) => board.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`)
  const focusCard = (id: string) => {
    const card = cardAt(id)
    card?.focus({ preventScroll: true })
    card?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  useEffect(() => {
    if (focusAfter.current !== undefined) focusCard(focusAfter.current)
    // One that an undo, a colleague or a refresh has moved may be drawn only once its new column is loaded.
    else if (focused.current !== undefined && isFocusLost()) focusCard(focused.current)
    focusAfter.current = undefined
  }, [lanes])
  useEffect(() => {
    if (carried?.by !== 'keyboard') return
    const label = columns.find((column) => column.state === carried.over)?.label ?? ''
    board.current?.querySelector(`[data-lane="${CSS.escape(label)}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [carried])

  const [tabbed, setTabbed] = useState<ReadonlyMap<unknown, unknown>>(new Map())
  const onKey = (event: KeyboardEvent, row: Row) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (movable && !moving.has(row[schema.id]) && carrying.onKey(event, row)) return event.preventDefault()
    if (event.key === 'o') {
      event.preventDefault()
      return go([...schema.path, String(row[schema.id])])
    }
    const next = neighbour(event.key, row, { lanes, order: columns.map((column) => column.state), state, id: schema.id })
    if (next === undefined) return
    event.preventDefault()
    cardAt(next)?.focus()
  }

  const total = summary.answer?.Total as number | undefined
  const others = summary.answer ? othersIn(summary.answer) : 0
  return (
    <RecordsFrame
      of={of}
      acts={acts}
      onWritten={afterWrite}
      about={
        <span className="records-about">
          {summary.error ? (
            'Not loaded'
          ) : (
            <ResultCount
              schema={schema}
              settled={!summary.loading}
              total={total}
              loaded={0}
              filtered={filtered}
              search={searchState}
              asOf={asOfIn(summary.answer)}
            />
          )}
          <LiveChanges changes={changes} refresh={refresh} />
        </span>
      }
      tools={<SortChoice fields={schema.fields} order={view.order} onOrder={(order) => show({ ...view, order })} />}
    >
      {summary.error && !summary.answer ? (
        <RecordsRefused of={of} error={summary.error} reload={refresh} />
      ) : total === 0 ? (
        <NoRecords of={of} />
      ) : (
        <div className="board" data-own-focus ref={board} aria-busy={summary.loading && !summary.answer}>
          <p id="board-how" hidden>
            Press Space to pick up this card and move it to another column.
          </p>
          <p className="seen-by-readers" role="status" aria-live="assertive">
            {carrying.spoken}
          </p>
          {columns.length === 0 &&
            ['1', '2', '3', '4'].map((nth) => (
              <div key={nth} className="board-lane">
                <Skeleton height="12rem" />
              </div>
            ))}
          {columns.map((column) => {
            const lane = lanes.get(column.state) ?? NO_CARDS
            const isOver = carried !== undefined && carried.over === column.state && carried.from !== column.state
            return (
              <BoardLane
                key={column.label}
                schema={schema}
                column={column}
                lane={lane}
                incoming={isOver ? nameOf(schema, carried.row) : undefined}
                onMore={() => rows.load(column.state)}
                onDragOver={() => carrying.dragOver(column)}
                onDrop={carrying.drop}
              >
                {(row) => {
                  const id = row[schema.id]
                  const stop = tabbed.get(column.state)
                  const isStop = lane.rows.some((one) => one[schema.id] === stop) ? stop === id : lane.rows[0] === row
                  return (
                    <BoardCard
                      key={String(id)}
                      schema={schema}
                      row={row}
                      facts={facts}
                      targets={movable ? columns.filter(({ takes, state: to }) => takes && to !== column.state) : undefined}
                      carried={carried?.row[schema.id] === id}
                      busy={moving.has(id)}
                      deleted={isDeleted(row)}
                      describedBy="board-how"
                      tabbable={isStop}
                      onFocus={() => {
                        focused.current = String(id)
                        setTabbed((all) => (all.get(column.state) === id ? all : new Map([...all, [column.state, id]])))
                      }}
                      onBlur={() => {
                        focused.current = undefined
                      }}
                      onKeyDown={(event) => onKey(event, row)}
                      onDragStart={() => carrying.drag(row)}
                      onDragEnd={carrying.cancel}
                      onMove={(to) => void moveTo(row, to)}
                    />
                  )
                }}
              </BoardLane>
            )
          })}
          {others > 0 && (
            <p className="board-others soft">
              {numberText(others)} {others === 1 ? schema.one : schema.many} in other columns: filter by {field.Label.toLowerCase()} to see them.
            </p>
          )}
        </div>
      )}
      {dialog}
    </RecordsFrame>
  )
}

/** The columns of the table, without the name and the state, which the board shows anyway. */
function factsOf(schema: RecordSchema, chosen: readonly string[] | undefined): DescribedField[] {
  const shown = columnsShown(schema, chosen).flatMap((name) => schema.fields.filter(({ Name }) => Name === name))
  // What a deal is worth comes first.
  const rank = ({ Type }: DescribedField) => (Type === 'money' ? 0 : 1)
  return shown.filter(({ Name }) => Name !== schema.state && !schema.titles.includes(Name)).sort((one, other) => rank(one) - rank(other))
}

/** Whether what had the focus is gone. */
const isFocusLost = () => document.activeElement === document.body

const asOfIn = (summary: Row | undefined) => summary?.AsOf as string | undefined

interface Cards {
  readonly lanes: Lanes
  readonly order: readonly (string | null)[]
  readonly state: string
  readonly id: string
}

/** The card that an arrow key leads to: above or below, or at the same height in the next column that has cards. */
function neighbour(key: string, row: Row, { lanes, order, state, id }: Cards): string | undefined {
  const column = order.indexOf(stateIn(row, state))
  const rowsOf = (nth: number) => lanes.get(order[nth] ?? null)?.rows ?? []
  const height = rowsOf(column).findIndex((one) => one[id] === row[id])
  const idAt = (rows: readonly Row[], nth: number) => rows[nth] && String(rows[nth][id])
  if (key === 'ArrowDown') return idAt(rowsOf(column), height + 1)
  if (key === 'ArrowUp') return idAt(rowsOf(column), height - 1)
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
  if (step === 0) return undefined
  for (let nth = column + step; nth >= 0 && nth < order.length; nth += step) {
    const rows = rowsOf(nth)
    if (rows.length > 0) return idAt(rows, Math.min(height, rows.length - 1))
  }
  return undefined
}
