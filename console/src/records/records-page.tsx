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
import { useLiveRows } from './live-rows.ts'
import { columnsOf, nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { includeOf } from './record-value.tsx'
import { ResultCount } from './result-count.tsx'
import { gridColumns, RowCard } from './row-columns.tsx'
import { SavedViews } from './saved-views.tsx'
import { searchOf } from './search.ts'
import { SortChoice } from './sort-choice.tsx'
import { useSuggested } from './suggested.ts'
import { useSearch } from './use-search.ts'
import { nextOrder, orderOf, queryOf, type View, viewOf } from './view.ts'
import './records.css'

const ImportDialog = lazy(async () => ({ default: (await import('../files/import-dialog.tsx')).ImportDialog }))
const ExportDialog = lazy(async () => ({ default: (await import('../files/export-dialog.tsx')).ExportDialog }))

interface Props {
  readonly schema: RecordSchema
  /** More buttons. */
  readonly acts?: ReactNode
}

/** The table of a record type or a custom object. */
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
  return <RecordsTable schema={schema} acts={acts} view={view} query={query} />
}

function RecordsTable({ schema, acts, view, query }: Props & { readonly view: View; readonly query: URLSearchParams }) {
  const { crm, may } = useSession()
  const narrow = useNarrow()
  const [exporting, setExporting] = useState(false)
  const filterText = JSON.stringify(view.filters)
  const filters = useMemo(() => JSON.parse(filterText) as View['filters'], [filterText])
  const columns = useMemo(() => {
    const known = view.columns?.filter((name) => schema.fields.some(({ Name }) => Name === name))
    return known && known.length > 0 ? [...new Set(known)] : columnsOf(schema)
  }, [schema, view.columns?.join(',')])
  // Long texts are requested only where they are shown.
  const select = useMemo(
    () => schema.fields.filter(({ Name, Type }) => Type !== 'longText' || columns.includes(Name)).map(({ Name }) => Name),
    [schema, columns],
  )

  const include = useMemo(() => includeOf(schema, columns), [schema, columns])
  const { rows, loading } = useRows<Row>(
    (cursor, limit, signal) => findRows(crm, schema, { filters, order: view.order, select, include, cursor, limit }, { signal }),
    [crm, schema.path.join('/'), filterText, view.order, select.join(','), include.join(',')],
  )
  const summary = useAnswer(async (signal) => (await summaryOf(crm, schema, filters, { signal }))?.Total as number | undefined, [crm, schema, filters])
  const { changes, isDeleted, refresh, afterWrite } = useLiveRows(
    schema,
    rows,
    [...Object.keys(filters), ...(view.order ? [orderOf(view.order)?.field ?? ''] : [])],
    summary.reload,
  )
  const total = rows.total() ?? (summary.error ? undefined : summary.answer)
  const settled = !loading && (rows.total() !== undefined || !summary.loading)

  const show = useCallback((next: View, how?: { readonly replace: boolean }) => go(schema.path, queryOf(next), how), [schema])
  const conditions = conditionsOf(filters)
  const filterFields = useSuggested(schema, schema.fields)
  const search = searchOf(schema, conditions)
  const searchState = useSearch(schema, search, (next, { typed }) => show({ ...view, filters: filtersOf(next) }, { replace: typed }))
  const shownColumns = useMemo(() => gridColumns(schema, columns), [schema, columns])
  const [widths, setWidth] = useColumnWidths(schema)
  const error = rows.error()
  const creating = query.has('new') && schema.createFields.length > 0 && creation(schema) !== undefined
  const importing = query.has('import') && creation(schema) !== undefined
  // Closing a dialog replaces the address, so that Back leaves the table and does not reopen the dialog.
  const stay = () => show(view, { replace: true })
  const filtered = conditions.length > 0

  return (
    <Page
      fills
      title={schema.title}
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
          <span className="records-live" role="status">
            {changes > 0 && (
              <button type="button" className="records-word" onClick={refresh}>
                <Icon name="reload" size={14} /> {changes === 1 ? '1 change' : `${numberText(changes)} changes`} · Refresh
              </button>
            )}
          </span>
        </span>
      }
      acts={
        <>
          {acts}
          {creation(schema) && (
            <Button
              icon="upload"
              aria-label="Import"
              title="Import"
              onClick={() => go(schema.path, { ...Object.fromEntries(query), import: '' }, { replace: true })}
            >
              {narrow ? undefined : 'Import'}
            </Button>
          )}
          <Button icon="download" aria-label="Export" title="Export" onClick={() => setExporting(true)}>
            {narrow ? undefined : 'Export'}
          </Button>
          {creation(schema) && (
            <Button kind="primary" icon="plus" onClick={() => go(schema.path, { ...Object.fromEntries(query), new: '' }, { replace: true })}>
              Create {schema.one}
            </Button>
          )}
        </>
      }
    >
      <div className="records">
        <div className="records-tools">
          {search && <SearchBox many={schema.many} fields={search.fields} text={searchState.text} onSearch={searchState.search} />}
          <AddFilter fields={filterFields} conditions={conditions} onChange={(next) => show({ ...view, filters: filtersOf(next) })} />
          <SavedViews schema={schema} query={new URLSearchParams(hrefOf([], queryOf(view)).split('?')[1] ?? '').toString()} />
          {narrow && <SortChoice fields={schema.fields} order={view.order} onOrder={(order) => show({ ...view, order })} />}
          {!narrow && (
            <ColumnChoice
              fields={schema.fields.filter(({ Type }) => Type !== 'json')}
              columns={columns}
              onChange={(next) => show({ ...view, columns: next })}
            />
          )}
        </div>
        <FilterChips
          fields={filterFields}
          conditions={conditions}
          hidden={(one) => search?.conditions.includes(one) ?? false}
          onChange={(next) => show({ ...view, filters: filtersOf(next) })}
        />
        {error !== undefined ? (
          <div className="records-state">
            <Refusal
              error={error as CrmError}
              {...((error as CrmError).code === 'invalid_input' && { title: 'This view cannot be shown' })}
              {...((error as CrmError).retryable && { reload: refresh })}
            />
            {(filtered || view.order) && <Button onClick={() => show({ filters: {}, order: undefined, columns: view.columns })}>Show all {schema.many}</Button>}
          </div>
        ) : rows.total() === 0 && !loading ? (
          <div className="records-state">
            {filtered ? (
              <Empty
                icon="search"
                title={`No ${schema.many} match`}
                act={<Button onClick={() => show({ ...view, filters: {} })}>Show all {schema.many}</Button>}
              >
                Remove a filter or search for something else.
              </Empty>
            ) : (
              <Empty icon="table" title={`No ${schema.many} yet`}>
                {creation(schema) ? `Create the first one, or import a file. ${schema.summary}` : schema.summary}
              </Empty>
            )}
          </div>
        ) : (
          <Bulk schema={schema} rows={rows} onDone={afterWrite}>
            {(selection) => (
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
                selection={selection}
              />
            )}
          </Bulk>
        )}
      </div>
      {creating && (
        <CreateDialog
          schema={schema}
          onClose={stay}
          onDone={() => {
            stay()
            afterWrite()
          }}
          onUndone={afterWrite}
        />
      )}
      <Suspense>
        {importing && may(creation(schema)?.id ?? '') && (
          <ImportDialog
            recordType={schema.recordType}
            {...(schema.objectName !== undefined && { objectName: schema.objectName })}
            onClose={stay}
            onDone={afterWrite}
          />
        )}
        {exporting && (
          <ExportDialog
            recordType={schema.recordType}
            {...(schema.objectName !== undefined && { objectName: schema.objectName })}
            filters={filters}
            orderBy={view.order}
            onClose={() => setExporting(false)}
          />
        )}
      </Suspense>
    </Page>
  )
}

const creation = (schema: RecordSchema) => schema.operation(schema.objectName === undefined ? 'create' : 'createCustom')
