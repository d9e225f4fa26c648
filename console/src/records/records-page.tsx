import type { CrmError } from 'crm-connector'
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { conditionsOf, filtersOf } from '../filters/conditions.ts'
import { AddFilter, FilterChips } from '../filters/filter-bar.tsx'
import { SearchBox } from '../filters/search-box.tsx'
import { Grid } from '../grid/grid.tsx'
import { useNarrow } from '../grid/narrow.ts'
import { useRows } from '../grid/use-rows.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Refusal } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { go, hrefOf, useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { Bulk } from './bulk.tsx'
import { findRows, summaryOf } from './calls.ts'
import { ColumnChoice } from './column-choice.tsx'
import { useColumnWidths } from './column-widths.ts'
import { CreateDialog } from './create-dialog.tsx'
import { Found } from './found.tsx'
import { columnsOf, type Kind, nameOf, type Row } from './kind.ts'
import { useLiveRows } from './live-rows.ts'
import { gridColumns, RowCard } from './row-columns.tsx'
import { SavedViews } from './saved-views.tsx'
import { searchOf } from './search.ts'
import { SortChoice } from './sort-choice.tsx'
import { useSuggested } from './suggested.ts'
import { nextOrder, orderOf, queryOf, type View, viewOf } from './view.ts'
import { useSearching } from './where-found.ts'
import './records.css'

const ImportDialog = lazy(async () => ({ default: (await import('../files/import-dialog.tsx')).ImportDialog }))
const ExportDialog = lazy(async () => ({ default: (await import('../files/export-dialog.tsx')).ExportDialog }))

interface Props {
  readonly kind: Kind
  /** More buttons. */
  readonly acts?: ReactNode
}

/** The table of a record type or a custom object. */
export function RecordsPage({ kind, acts }: Props) {
  const { query } = useRoute()
  const view = viewOf(query)
  if (!view)
    return (
      <Page title={kind.title}>
        <Empty icon="warning" title="This view cannot be read" act={<Button onClick={() => go(kind.path)}>Show all {kind.many}</Button>}>
          The filters in the address are no JSON object; the link may have been cut off.
        </Empty>
      </Page>
    )
  return <RecordsTable kind={kind} acts={acts} view={view} query={query} />
}

function RecordsTable({ kind, acts, view, query }: Props & { readonly view: View; readonly query: URLSearchParams }) {
  const { crm, may } = useSession()
  const narrow = useNarrow()
  const [exporting, setExporting] = useState(false)
  const where = JSON.stringify(view.filters)
  const filters = useMemo(() => JSON.parse(where) as View['filters'], [where])
  const columns = useMemo(() => {
    const known = view.columns?.filter((name) => kind.fields.some(({ Name }) => Name === name))
    return known && known.length > 0 ? [...new Set(known)] : columnsOf(kind)
  }, [kind, view.columns?.join(',')])
  // Long texts are only asked for where they are shown.
  const select = useMemo(() => kind.fields.filter(({ Name, Type }) => Type !== 'longText' || columns.includes(Name)).map(({ Name }) => Name), [kind, columns])

  const { rows, waiting } = useRows<Row>(
    (cursor, limit, signal) => findRows(crm, kind, { filters, order: view.order, select, cursor, limit }, { signal }),
    [crm, kind.path.join('/'), where, view.order, select.join(',')],
  )
  const summary = useAnswer(async (signal) => (await summaryOf(crm, kind, filters, { signal }))?.Total as number | undefined, [crm, kind, filters])
  const { changes, isGone, refresh, written } = useLiveRows(
    kind,
    rows,
    [...Object.keys(filters), ...(view.order ? [orderOf(view.order)?.field ?? ''] : [])],
    summary.again,
  )
  const total = rows.total() ?? (summary.error ? undefined : summary.answer)
  const settled = !waiting && (rows.total() !== undefined || !summary.asking)

  const see = useCallback((next: View, how?: { readonly replace: boolean }) => go(kind.path, queryOf(next), how), [kind])
  const conditions = conditionsOf(filters)
  const filterFields = useSuggested(kind, kind.fields)
  const search = searchOf(kind, conditions)
  const searching = useSearching(kind, search, (next, { typed }) => see({ ...view, filters: filtersOf(next) }, { replace: typed }))
  const shownColumns = useMemo(() => gridColumns(kind, columns), [kind, columns])
  const [widths, setWidth] = useColumnWidths(kind)
  const error = rows.error()
  const creating = query.has('new') && kind.drafted.length > 0 && creation(kind) !== undefined
  const importing = query.has('import') && creation(kind) !== undefined
  // A dialog is no view of its own: Back leaves it together with the table.
  const stay = () => see(view, { replace: true })
  const filtered = conditions.length > 0

  return (
    <Page
      fills
      title={kind.title}
      about={
        <span className="records-about">
          {error === undefined ? (
            <Found kind={kind} settled={settled} total={total} come={rows.come()} filtered={filtered} searching={searching} />
          ) : (
            'Could not be loaded'
          )}
          <span className="records-live" role="status">
            {changes > 0 && (
              <button type="button" className="records-word" onClick={refresh}>
                <Icon name="again" size={14} /> {changes === 1 ? '1 change' : `${numberText(changes)} changes`} – refresh
              </button>
            )}
          </span>
        </span>
      }
      acts={
        <>
          {acts}
          {creation(kind) && (
            <Button
              icon="upload"
              aria-label="Import"
              title="Import"
              onClick={() => go(kind.path, { ...Object.fromEntries(query), import: '' }, { replace: true })}
            >
              {narrow ? undefined : 'Import'}
            </Button>
          )}
          <Button icon="download" aria-label="Export" title="Export" onClick={() => setExporting(true)}>
            {narrow ? undefined : 'Export'}
          </Button>
          {creation(kind) && (
            <Button kind="primary" icon="plus" onClick={() => go(kind.path, { ...Object.fromEntries(query), new: '' }, { replace: true })}>
              New {kind.one}
            </Button>
          )}
        </>
      }
    >
      <div className="records">
        <div className="records-tools">
          {search && <SearchBox many={kind.many} fields={search.fields} text={searching.text} onSearch={searching.look} />}
          <AddFilter fields={filterFields} conditions={conditions} onChange={(next) => see({ ...view, filters: filtersOf(next) })} />
          <SavedViews kind={kind} query={new URLSearchParams(hrefOf([], queryOf(view)).split('?')[1] ?? '').toString()} />
          {narrow && <SortChoice fields={kind.fields} order={view.order} onOrder={(order) => see({ ...view, order })} />}
          {!narrow && (
            <ColumnChoice fields={kind.fields.filter(({ Type }) => Type !== 'json')} columns={columns} onChange={(next) => see({ ...view, columns: next })} />
          )}
        </div>
        <FilterChips
          fields={filterFields}
          conditions={conditions}
          hidden={(one) => search?.conditions.includes(one) ?? false}
          onChange={(next) => see({ ...view, filters: filtersOf(next) })}
        />
        {error !== undefined ? (
          <div className="records-state">
            <Refusal
              error={error as CrmError}
              {...((error as CrmError).code === 'invalid_input' && { title: 'This view cannot be shown' })}
              {...((error as CrmError).retryable && { again: refresh })}
            />
            {(filtered || view.order) && <Button onClick={() => see({ filters: {}, order: undefined, columns: view.columns })}>Show all {kind.many}</Button>}
          </div>
        ) : rows.total() === 0 && !waiting ? (
          <div className="records-state">
            {filtered ? (
              <Empty icon="search" title={`No ${kind.many} match`} act={<Button onClick={() => see({ ...view, filters: {} })}>Show all {kind.many}</Button>}>
                Take a filter away, or look for something else.
              </Empty>
            ) : (
              <Empty icon="table" title={`No ${kind.many} yet`}>
                {creation(kind) ? `Make the first one, or import a file. ${kind.summary}` : kind.summary}
              </Empty>
            )}
          </div>
        ) : (
          <Bulk kind={kind} rows={rows} onDone={written}>
            {(chosen) => (
              <Grid
                label={kind.title}
                rows={rows}
                waiting={waiting}
                columns={shownColumns}
                card={(row) => <RowCard kind={kind} row={row} columns={columns} />}
                total={total}
                order={orderOf(view.order)}
                onOrder={(field) => see({ ...view, order: nextOrder(view.order, field) })}
                widths={widths}
                onWidth={setWidth}
                keyOf={(row) => String(row[kind.id])}
                hrefOf={(row) => hrefOf([...kind.path, String(row[kind.id])])}
                nameOf={(row) => nameOf(kind, row)}
                isGone={isGone}
                chosen={chosen}
              />
            )}
          </Bulk>
        )}
      </div>
      {creating && (
        <CreateDialog
          kind={kind}
          onClose={stay}
          onDone={() => {
            stay()
            written()
          }}
          onUndone={written}
        />
      )}
      <Suspense>
        {importing && may(creation(kind)?.id ?? '') && (
          <ImportDialog recordType={kind.recordType} {...(kind.objectName !== undefined && { objectName: kind.objectName })} onClose={stay} onDone={written} />
        )}
        {exporting && (
          <ExportDialog
            recordType={kind.recordType}
            {...(kind.objectName !== undefined && { objectName: kind.objectName })}
            filters={filters}
            orderBy={view.order}
            onClose={() => setExporting(false)}
          />
        )}
      </Suspense>
    </Page>
  )
}

const creation = (kind: Kind) => kind.operation(kind.objectName === undefined ? 'create' : 'createCustom')
