import { useState } from 'react'
import { Popover } from '../grid/popover.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import type { Kind } from './kind.ts'

interface SavedView {
  readonly name: string
  /** The address it stands for, behind the `?`. */
  readonly query: string
}

/** Views with a name. They are kept in this browser, and each is no more than an address. */
export function SavedViews({ kind, query }: { readonly kind: Kind; readonly query: string }) {
  const { me } = useSession()
  const place = `crm-connector-views:${me.Workspace}:${kind.path.join('/')}`
  const [views, setViews] = useState(() => read(place))
  const [name, setName] = useState('')
  const [renamed, setRenamed] = useState<string>()
  const keep = (next: readonly SavedView[]) => {
    setViews(next)
    localStorage.setItem(place, JSON.stringify(next))
  }
  const current = views.find((view) => view.query === query)
  return (
    <Popover label="Views" face={current?.name ?? 'Views'} icon="table">
      {(close) => (
        <>
          <ul className="popover-list">
            <li>
              <Link to={kind.path} onClick={close}>
                All {kind.many}
              </Link>
            </li>
            {views.map((view) => (
              <li key={view.name}>
                <Link to={kind.path} query={new URLSearchParams(view.query)} onClick={close} aria-current={view === current ? 'true' : undefined}>
                  {view.name}
                </Link>
                <IconButton
                  icon="edit"
                  label={`Rename ${view.name}`}
                  small
                  onClick={() => {
                    setRenamed(view.name)
                    setName(view.name)
                  }}
                />
                <IconButton icon="delete" label={`Delete the view ${view.name}`} small onClick={() => keep(views.filter((one) => one !== view))} />
              </li>
            ))}
          </ul>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const called = name.trim()
              if (called === '') return
              const old = views.find((view) => view.name === renamed)
              keep([...views.filter((view) => view.name !== called && view !== old), { name: called, query: old?.query ?? query }])
              setName('')
              setRenamed(undefined)
            }}
          >
            <Field label={renamed === undefined ? 'Save what is shown as' : `New name of ${renamed}`}>
              {(control) => <input {...control} value={name} maxLength={80} onChange={(event) => setName(event.target.value)} />}
            </Field>
            <div className="popover-acts">
              {renamed !== undefined && <Button onClick={() => setRenamed(undefined)}>Cancel</Button>}
              <Button kind="primary" type="submit" disabled={name.trim() === ''}>
                {renamed === undefined ? 'Save view' : 'Rename'}
              </Button>
            </div>
          </form>
        </>
      )}
    </Popover>
  )
}

/** What is kept may be from another version, or from nobody. */
function read(place: string): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.name === 'string' && typeof one?.query === 'string') : []
  } catch {
    return []
  }
}
