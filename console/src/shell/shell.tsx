import { Suspense, useCallback, useEffect, useState } from 'react'
import { IconButton } from '../parts/button.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { Empty } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { PAGES, pagesFor } from '../routing/pages.ts'
import { useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { Caught } from './caught.tsx'
import { useRecent } from './palette/recent.ts'
import { Shortcuts, useShortcuts } from './palette/shortcuts.tsx'
import { Palette } from './palette.tsx'
import { Sidebar } from './sidebar.tsx'
import './shell.css'

export function Shell() {
  const { may } = useSession()
  const { path } = useRoute()
  const [open, setOpen] = useState(false)
  const [searching, setSearching] = useState(false)
  const [helping, setHelping] = useState(false)
  const onHelp = useCallback(() => setHelping(true), [])
  const place = path[0] ?? ''
  const entry = PAGES.find((page) => page.path === place)
  const shown = entry && pagesFor(may).includes(entry) ? entry : undefined

  // Whoever has gone somewhere needs the menu no more.
  useEffect(() => setOpen(false), [path])

  useShortcuts({ onSearch: () => setSearching((was) => !was), onHelp })
  useRecent()

  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <header className="topbar">
        <IconButton icon="menu" label="Menu" aria-expanded={open} onClick={() => setOpen(!open)} />
        <strong>{entry?.title ?? 'CRM Connector'}</strong>
        <IconButton icon="search" label="Search and commands" onClick={() => setSearching(true)} />
      </header>
      <Sidebar open={open} place={place} onClose={() => setOpen(false)} onSearch={() => setSearching(true)} />
      <main id="main" className="main" tabIndex={-1}>
        <Caught key={place}>
          {shown ? (
            <Suspense fallback={<Spinner label="Opening" />}>
              <shown.Page path={path.slice(1)} />
            </Suspense>
          ) : entry ? (
            <Empty icon="keys" title="Not with this key">
              This key does not allow {entry.title.toLowerCase()}. An admin can make one that does.
            </Empty>
          ) : (
            <Empty icon="search" title="There is nothing here" act={<Link to={[]}>To the overview</Link>}>
              The address may be mistyped, or from another version.
            </Empty>
          )}
        </Caught>
      </main>
      {searching && <Palette onClose={() => setSearching(false)} onHelp={onHelp} />}
      {helping && <Shortcuts onClose={() => setHelping(false)} />}
    </div>
  )
}
