import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { messageOf } from '../data/error-text.ts'
import { usePeople } from '../data/people-names.ts'
import { useReturn } from '../data/return.ts'
import { Popover } from '../grid/popover.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { useToast } from '../parts/toasts.tsx'
import { shownText, visibleText } from '../parts/visible-text.ts'
import { Words } from '../parts/words.tsx'
import type { RecordSchema } from '../records/record-schema.ts'
import { queryText, type View } from '../records/view.ts'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { moveBrowserViews } from './browser-views.ts'
import { createView, deleteView, findViews, type NewView, type SavedView, updateView } from './saved-view.ts'
import { ViewForm } from './view-form.tsx'
import './view-tabs.css'

/** The width that a tab other than the current one has at most, in rem; see the style sheet. */
const TAB_REM = 10
const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16

interface Props {
  readonly schema: RecordSchema
  readonly view: View
}

/** The views of a table as tabs: all records, those that the team shares and the user's own. A view is an address. */
export function ViewTabs({ schema, view }: Props) {
  const session = useSession()
  const toast = useToast()
  const { nameOf } = usePeople()
  const bar = useRef<HTMLElement>(null)
  const fitting = useFitting(bar)
  const { answer: all, reload } = useAnswer(
    async (signal) => {
      await moveBrowserViews(session, schema)
      return findViews(session, signal)
    },
    [session, schema],
  )
  // Views have no events: what others have shared, changed or deleted is there when the user comes back.
  useReturn(reload)
  const views = (all ?? []).filter(({ RecordType, ObjectName }) => RecordType === schema.recordType && ObjectName === (schema.objectName ?? null))
  const current = views.find(({ ViewID }) => ViewID === view.saved)
  const query = queryText(view)
  const changed = query !== (current?.Query ?? '')

  // What had the focus goes with a view that is saved, changed or deleted; then the tab has it.
  const focused = useRef(false)
  useEffect(() => {
    if (!focused.current || (view.saved !== undefined && !current)) return
    focused.current = false
    bar.current?.querySelector<HTMLElement>('[aria-current]')?.focus()
  }, [current, view.saved])

  const show = (next: SavedView | undefined) => {
    focused.current = true
    go(schema.path, addressOf(next, view))
    reload()
  }
  const create = async (next: NewView) => show(await createView(session, schema, next))
  const update = async (changes: Partial<NewView>) => current && show(await updateView(session, current, changes))
  const remove = async () => {
    if (!current) return
    const { Name, Query, Shared } = await deleteView(session, current)
    show(undefined)
    const undo = () => create({ Name, Query, Shared }).catch((error) => toast({ text: `Not undone: ${messageOf(error)}`, bad: true }))
    toast({ text: `The view ${shownText(Name)} was deleted.`, act: { label: 'Undo', act: undo } })
  }

  // The current view is a tab in any case.
  const first = views.slice(0, fitting)
  const tabs = current && !first.includes(current) ? [...first.slice(0, -1), current] : first
  const more = views.filter((one) => !tabs.includes(one))
  const link = (one: SavedView, onClick?: () => void) => (
    <Link
      to={schema.path}
      query={addressOf(one, view)}
      aria-current={one === current ? 'true' : undefined}
      title={one.Shared ? `${visibleText(one.Name)}, shared by ${visibleText(nameOf(one.OwnerID))}` : visibleText(one.Name)}
      onClick={onClick}
    >
      {one.Shared && <Icon name="users" size={14} />}
      <span>
        <Words>{shownText(one.Name)}</Words>
      </span>
      {one.Shared && <span className="seen-by-readers"> (shared)</span>}
    </Link>
  )
  return (
    <nav ref={bar} className="view-tabs" aria-label="Views">
      <ul>
        <li>
          <Link to={schema.path} query={addressOf(undefined, view)} aria-label={`All ${schema.many}`} aria-current={current ? undefined : 'true'}>
            All
          </Link>
        </li>
        {tabs.map((one) => (
          <li key={one.ViewID}>{link(one)}</li>
        ))}
      </ul>
      {more.length > 0 && (
        <Popover label="More views" content={`${more.length} more`} align="right">
          {(close) => (
            <ul className="popover-list">
              {more.map((one) => (
                <li key={one.ViewID}>{link(one, close)}</li>
              ))}
            </ul>
          )}
        </Popover>
      )}
      {current?.Editable && changed && (
        <Button small onClick={() => void update({ Query: query }).catch((error) => toast({ text: messageOf(error), bad: true }))}>
          Update view
        </Button>
      )}
      {changed && (
        <Popover label="Save view" align="right">
          {() => <ViewForm first={{ Name: '', Shared: false }} save="Save" onSave={(made) => create({ ...made, Query: query })} />}
        </Popover>
      )}
      {current?.Editable && (
        <Popover key={current.ViewID} label="Edit view" align="right">
          {(close) => (
            <ViewForm
              first={current}
              save="Save"
              onSave={async ({ Name, Shared }) => {
                await update({ Name, Shared })
                close()
              }}
              onDelete={remove}
            />
          )}
        </Popover>
      )}
    </nav>
  )
}

/** The record beside the table stays there. */
function addressOf(saved: SavedView | undefined, { record }: View): URLSearchParams {
  const query = new URLSearchParams(saved?.Query)
  if (saved) query.set('view', saved.ViewID)
  if (record !== undefined && query.get('as') !== 'board') query.set('record', record)
  return query
}

/** How many tabs fit beside the buttons of a bar. */
function useFitting(bar: React.RefObject<HTMLElement | null>): number {
  const [fitting, setFitting] = useState(0)
  useLayoutEffect(() => {
    const shown = bar.current
    if (!shown) return
    const measure = () => setFitting(Math.max(1, Math.floor(shown.clientWidth / (TAB_REM * rem())) - 3))
    const observer = new ResizeObserver(measure)
    observer.observe(shown)
    measure()
    return () => observer.disconnect()
  }, [bar])
  return fitting
}
