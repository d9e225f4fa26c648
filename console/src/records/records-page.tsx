import type { CrmError } from 'crm-connector'
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { withCondition } from '../filters/by-value.ts'
import { filtersOf } from '../filters/conditions.ts'
import { useWords } from '../filters/use-words.ts'
import { Grid } from '../grid/grid.tsx'
import { useNarrow } from '../grid/narrow.ts'
import type { Ask } from '../grid/page-chain.ts'
import { useRows } from '../grid/use-rows.ts'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { Empty } from '../parts/states.tsx'
import { go, hrefOf, useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { Bulk } from './bulk.tsx'
import { findRows, summaryOf } from './calls.ts'
import { useCellEditor } from './cell-editor.tsx'
import { ColumnChoice } from './column-choice.tsx'
import { useColumnMenu } from './column-menu.tsx'
import { useColumnWidths } from './column-widths.ts'
import { isEditable } from './editable-value.tsx'
import { LiveChanges } from './live-changes.tsx'
import { useLiveRows } from './live-rows.ts'
import { NoRecords } from './no-records.tsx'
import { columnsShown, nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { includeOf } from './record-value.tsx'
import { hasBoard, RecordsFrame } from './records-frame.tsx'
import { RecordsRefused } from './records-refused.tsx'
import { ResultCount } from './result-count.tsx'
import { gridColumns, RowCard } from './row-columns.tsx'
import { useSelection } from './selection.ts'
import { SortChoice } from './sort-choice.tsx'
import { useClosedByFilters } from './use-closed-by-filters.ts'
import { useRecordsView } from './use-records-view.ts'
import { useValueMenu } from './value-menu.ts'
import { nextOrder, orderOf, reversed, type View, viewOf } from './view.ts'

const RecordPanel = lazy(async () => ({ default: (await import('./record-panel.tsx')).RecordPanel }))
const Board = lazy(async () => ({ default: (await import('../board/board.tsx')).Board }))

interface Props {
  readonly schema: RecordSchema
  /** More buttons. */
  readonly acts?: ReactNode
}

/** The table of a record type or a custom object, or its board. */
export function RecordsPage({ schema, acts }: Props) {
  const { query } = useRoute()
  const view = viewOf(query)
  if (!view)
    return (
      <Page title={schema.title}>
        <Empty icon="warning" title="This view cannot be read" act={<Button onClick={() => go(schema.path)}>Show all {schema.many}</Button>}>
          The filters in the address are not a JSON object. The link may be incomplete.
        </Empty>
      </Page>
    )
  if (view.board && hasBoard(schema))
    return (
      <Suspense fallback={<Spinner label="Loading" />}>
        <Board schema={schema} view={view} acts={acts} />
      </Suspense>
    )
  return <RecordsTable schema={schema} acts={acts} view={view} />
}

function RecordsTable({ schema, acts, view }: Props & { readonly view: View }) {
  const { crm } = useSession()
  const { query } = useRoute()
  const narrow = useNarrow()
  const of = useRecordsView(schema, view)
  const { filters, filterText, conditions, filtered, searchState, show } = of
  const columns = useMemo(() => columnsShown(schema, view.columns), [schema, view.columns?.join(',')])
  // Long texts are requested only where they are shown.
  const select = useMemo(
    () => schema.fields.filter(({ Name, Type }) => Type !== 'longText' || columns.includes(Name)).map(({ Name }) => Name),
    [schema, columns],
  )

  const include = useMemo(() => includeOf(schema, columns), [schema, columns])
  const find =
    (order: string | undefined): Ask<Row> =>
    (cursor, limit, signal, passed) =>
      findRows(crm, schema, { filters, order, ...(passed ? { select: [schema.id] } : { select, include }), cursor, limit }, { signal })
  const { rows, loading } = useRows<Row>(schema.path.join('/'), find(view.order), find(reversed(view.order)), [
    crm,
    filterText,
    view.order,
    select.join(','),
    include.join(','),
  ])
  const summary = useAnswer(async (signal) => (await summaryOf(crm, schema, filters, { signal }))?.Total as number | undefined, [crm, schema, filters])
  const summed = rows.total() ?? (summary.error ? undefined : summary.answer)
  const selection = useSelection({ schema, filters, rows, loading, total: summed })
  const total = summed ?? selection.counted
  const [{ reload }, { recount }] = [summary, selection]
  const { changes, isDeleted, refresh, afterWrite } = useLiveRows(
    schema,
    rows,
    [...Object.keys(filters), ...(view.order ? [orderOf(view.order)?.field ?? ''] : [])],
    useCallback(() => {
      reload()
      recount()
    }, [reload, recount]),
  )
  const settled = !loading && (rows.total() !== undefined || !summary.loading)

  const shownColumns = useMemo(() => gridColumns(schema, columns), [schema, columns])
  const [widths, setWidth] = useColumnWidths(schema)
  const selectable = schema.operation('update') !== undefined || schema.operation('delete') !== undefined
  const error = rows.error()
  const { edit: editCell, editor } = useCellEditor({ schema, rows, columns, onWritten: afterWrite })
  const beside = view.record
  const [editing, setEditing] = useState(false)
  // Back closes the panel, whatever was shown in it.
  const showBeside = (id: string | undefined, edits = false) => {
    setEditing(edits)
    go(schema.path, { ...Object.fromEntries(query), record: id }, { replace: beside !== undefined })
  }
  const close = () => {
    showBeside(undefined)
    document.querySelector<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true })
  }
  useClosedByFilters({ schema, filters, filterText, beside, close: () => show({ ...view, record: undefined }, { replace: true }) })
  const edit = (row: Row) => showBeside(String(row[schema.id]), true)
  const open = (row: Row) => (narrow ? go([...schema.path, String(row[schema.id])]) : showBeside(String(row[schema.id])))
  const columnMenu = useColumnMenu(of, columns)
  const wordsOf = useWords(of.fields)
  const valueMenu = useValueMenu(schema, (next) => show({ ...view, filters: filtersOf(withCondition(conditions, next)) }))

  return (
    <RecordsFrame
      of={of}
      acts={acts}
      onWritten={afterWrite}
      about={
        <span className="records-about">
          {error === undefined ? (
            <ResultCount
              schema={schema}
              settled={settled}
              total={total}
              loaded={rows.loadedCount()}
              filtered={filtered}
              search={searchState}
              asOf={rows.asOf()}
            />
          ) : (
            'Not loaded'
          )}
          <LiveChanges changes={changes} refresh={refresh} />
        </span>
      }
      tools={
        narrow ? (
          <SortChoice fields={schema.fields} order={view.order} onOrder={(order) => show({ ...view, order })} />
        ) : (
          <ColumnChoice fields={schema.fields.filter(({ Type }) => Type !== 'json')} columns={columns} onChange={(next) => show({ ...view, columns: next })} />
        )
      }
    >
      <div className="records-beside">
        {error !== undefined ? (
          <RecordsRefused of={of} error={error as CrmError} reload={refresh} />
        ) : rows.total() === 0 && !loading ? (
          <NoRecords of={of} />
        ) : (
          <Grid
            label={schema.title}
            rows={rows}
            loading={loading}
            columns={shownColumns}
            card={(row) => <RowCard schema={schema} row={row} columns={columns} />}
            total={total}
            order={orderOf(view.order)}
            onOrder={(field) => show({ ...view, order: nextOrder(view.order, field) })}
            widths={widths}
            onWidth={setWidth}
            keyOf={(row) => String(row[schema.id])}
            hrefOf={(row) => hrefOf([...schema.path, String(row[schema.id])])}
            nameOf={(row) => nameOf(schema, row)}
            isDeleted={isDeleted}
            selection={selectable ? selection : undefined}
            isEditable={(column) => isEditable(schema, column)}
            onEdit={(row, column) => {
              const field = schema.fields.find(({ Name }) => Name === column)
              if (field && !isDeleted(row)) editCell(row, field)
            }}
            onOpen={open}
            onEditRow={schema.operation('update') && edit}
            shown={beside}
            columnMenu={columnMenu.menu}
            valueMenu={(row, column) => valueMenu(row, column === undefined ? columns : [column])}
          />
        )}
        {beside !== undefined && (
          <Suspense>
            <RecordPanel schema={schema} id={beside} editing={editing} onShow={(id) => showBeside(id)} onWritten={afterWrite} onClose={close} />
          </Suspense>
        )}
      </div>
      {columnMenu.dialog}
      {editor}
      <Bulk schema={schema} selection={selection} total={settled ? total : undefined} question={conditions.map(wordsOf)} onDone={afterWrite} />
    </RecordsFrame>
  )
}
