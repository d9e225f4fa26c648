import { lazy, type ReactNode, Suspense, useState } from 'react'
import { filtersOf } from '../filters/conditions.ts'
import { AddFilter, FilterChips } from '../filters/filter-bar.tsx'
import { SearchBox } from '../filters/search-box.tsx'
import { useNarrow } from '../grid/narrow.ts'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { go, useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { usePageCommands } from '../shell/palette/page-commands.ts'
import { ViewTabs } from '../views/view-tabs.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { columnsShown, type RecordSchema } from './record-schema.ts'
import type { RecordsView } from './use-records-view.ts'
import './records.css'

const ImportDialog = lazy(async () => ({ default: (await import('../files/import-dialog.tsx')).ImportDialog }))
const ExportDialog = lazy(async () => ({ default: (await import('../files/export-dialog.tsx')).ExportDialog }))

interface Props {
  readonly of: RecordsView
  readonly about: ReactNode
  /** More buttons. */
  readonly acts?: ReactNode
  /** More tools beside the filters. */
  readonly tools?: ReactNode
  readonly onWritten: () => void
  readonly children: ReactNode
}

const SHOWN_AS = [
  { id: 'table', label: 'Table' },
  { id: 'board', label: 'Board' },
] as const

/** The page around a table or a board: its title, filters and views, and the dialogs to create, import and export. */
export function RecordsFrame({ of, about, acts, tools, onWritten, children }: Props) {
  const { schema, view, filters, conditions, fields, search, searchState, show } = of
  const { query } = useRoute()
  const { may } = useSession()
  const narrow = useNarrow()
  const [exporting, setExporting] = useState(false)
  const creating = query.has('new') && schema.createFields.length > 0 && creation(schema) !== undefined
  const importing = query.has('import') && creation(schema) !== undefined
  // Closing a dialog replaces the address, so that Back leaves the table and does not reopen the dialog.
  const stay = () => show(view, { replace: true })
  const create = () => go(schema.path, { ...Object.fromEntries(query), new: '' }, { replace: true })
  useKeys({ c: creation(schema) && create })
  usePageCommands([{ title: 'Export this view', icon: 'download', also: 'download file CSV', act: () => setExporting(true) }])
  return (
    <Page
      fills
      title={schema.title}
      about={about}
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
            <Button kind="primary" icon="plus" onClick={create}>
              Create {schema.one}
            </Button>
          )}
        </>
      }
    >
      <div className="records">
        <ViewTabs schema={schema} view={view} />
        <div className="records-tools">
          {search && <SearchBox many={schema.many} fields={search.fields} text={searchState.text} onSearch={searchState.search} />}
          <AddFilter fields={fields} conditions={conditions} onChange={(next) => show({ ...view, filters: filtersOf(next) })} />
          {hasBoard(schema) && (
            <Tabs label="Show as" tabs={SHOWN_AS} shown={view.board ? 'board' : 'table'} onShow={(id) => show({ ...view, board: id === 'board' })} />
          )}
          {tools}
        </div>
        <FilterChips
          fields={fields}
          conditions={conditions}
          hidden={(one) => search?.conditions.includes(one) ?? false}
          onChange={(next) => show({ ...view, filters: filtersOf(next) })}
        />
        {children}
      </div>
      {creating && (
        <CreateDialog
          schema={schema}
          onClose={stay}
          onDone={() => {
            stay()
            onWritten()
          }}
          onUndone={onWritten}
        />
      )}
      <Suspense>
        {importing && may(creation(schema)?.id ?? '') && (
          <ImportDialog
            recordType={schema.recordType}
            {...(schema.objectName !== undefined && { objectName: schema.objectName })}
            onClose={stay}
            onDone={onWritten}
          />
        )}
        {exporting && (
          <ExportDialog
            recordType={schema.recordType}
            {...(schema.objectName !== undefined && { objectName: schema.objectName })}
            filters={filters}
            orderBy={view.order}
            columns={columnsShown(schema, view.columns)}
            onClose={() => setExporting(false)}
          />
        )}
      </Suspense>
    </Page>
  )
}

/** The columns of a board are the stages or statuses, and their figures are from the summary. */
export const hasBoard = (schema: RecordSchema): boolean => schema.state !== undefined && schema.operation('getSummary') !== undefined

export const creation = (schema: RecordSchema) => schema.operation(schema.objectName === undefined ? 'create' : 'createCustom')
