import { useState } from 'react'
import { Popover } from '../grid/popover.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import type { RecordSchema } from './record-schema.ts'

interface SavedView {
  readonly name: string
  /** The query of its address. */
  readonly query: string
}

/** Named views, stored in this browser. A view is an address. */
export function SavedViews({ schema, query }: { readonly schema: RecordSchema; readonly query: string }) {
  const { me } = useSession()
  const storageKey = `crm-connector-views:${me.Workspace}:${schema.path.join('/')}`
  const [views, setViews] = useState(() => read(storageKey))
  const [name, setName] = useState('')
  const [renamed, setRenamed] = useState<string>()
  const store = (next: readonly SavedView[]) => {
    setViews(next)
    localStorage.setItem(storageKey, JSON.stringify(next))
  }
  const current = views.find((view) => view.query === query)
  return (
    <Popover label="Views" content={current?.name ?? 'Views'} icon="table">
      {(close) => (
        <>
          <ul className="popover-list">
            <li>
              <Link to={schema.path} onClick={close}>
                All {schema.many}
              </Link>
            </li>
            {views.map((view) => (
              <li key={view.name}>
                <Link to={schema.path} query={new URLSearchParams(view.query)} onClick={close} aria-current={view === current ? 'true' : undefined}>
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
                <IconButton icon="delete" label={`Delete the view ${view.name}`} small onClick={() => store(views.filter((one) => one !== view))} />
              </li>
            ))}
          </ul>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const called = name.trim()
              if (called === '') return
              const old = views.find((view) => view.name === renamed)
              store([...views.filter((view) => view.name !== called && view !== old), { name: called, query: old?.query ?? query }])
              setName('')
              setRenamed(undefined)
            }}
          >
            <Field label={renamed === undefined ? 'Save this view as' : `New name of ${renamed}`}>
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

/** The stored value may come from another version. */
function read(storageKey: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one?.name === 'string' && typeof one?.query === 'string') : []
  } catch {
    return []
  }
}
