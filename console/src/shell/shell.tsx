import { findOperation } from 'crm-connector/contract'
import { Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useDefinitions } from '../data/definitions.ts'
import { IconButton } from '../parts/button.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { Empty, Refusal } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { PAGE_COMPONENTS } from '../routing/page-components.ts'
import { type PageEntry, pageAt, pagesFor } from '../routing/pages.ts'
import { go, useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { useRecent } from './palette/recent.ts'
import { Shortcuts, useShortcuts } from './palette/shortcuts.tsx'
import { Palette } from './palette.tsx'
import { Sidebar } from './sidebar.tsx'
import './shell.css'

/** Wide enough to show the menu beside the page. */
const wide = window.matchMedia('(min-width: 52.01rem)')

export function Shell() {
  const { may, fault, refreshDescription } = useSession()
  const { path } = useRoute()
  const [open, setOpen] = useState(false)
  const [searching, setSearching] = useState(false)
  const [helping, setHelping] = useState(false)
  const onSearch = () => {
    setOpen(false)
    setSearching(true)
  }
  const onHelp = useCallback(() => setHelping(true), [])
  const pagePath = path[0] ?? ''
  const entry = pageAt(pagePath)
  const allowed = pagesFor(may)
  const shown = entry && allowed.includes(entry) ? entry : undefined
  const Shown = shown && PAGE_COMPONENTS[shown.path]
  const first = pagePath === '' && !shown ? allowed[0]?.path : undefined
  const menu = useRef<HTMLElement>(null)

  // On narrow screens the menu covers the page. After a navigation the focus moves to the page, otherwise back to the menu button.
  const hasNavigated = useRef(false)
  useEffect(() => {
    hasNavigated.current = true
    setOpen(false)
  }, [path])
  useEffect(() => {
    if (!open) return
    hasNavigated.current = false
    const close = () => setOpen(false)
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close()
    wide.addEventListener('change', close)
    window.addEventListener('keydown', onKey)
    return () => {
      wide.removeEventListener('change', close)
      window.removeEventListener('keydown', onKey)
      if (hasNavigated.current) document.getElementById('main')?.focus()
      else menu.current?.querySelector('button')?.focus()
    }
  }, [open])

  // A key that does not allow the overview starts on the first page that it does allow.
  useEffect(() => {
    if (first !== undefined) go([first], undefined, { replace: true })
  }, [first])

  useShortcuts({ onSearch: () => setSearching((was) => !was), onHelp })
  useRecent()
  useDefinitions()

  return (
    <div className="shell">
      <button type="button" className="skip" inert={open} onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header className="topbar" ref={menu} inert={open}>
        <IconButton icon="menu" label="Menu" aria-expanded={open} onClick={() => setOpen(!open)} />
        <strong>{entry?.title ?? 'CRM Connector'}</strong>
        <IconButton icon="search" label="Search and commands" onClick={() => setSearching(true)} />
      </header>
      <Sidebar open={open} pagePath={pagePath} onClose={() => setOpen(false)} onSearch={onSearch} />
      <main id="main" className="main" tabIndex={-1} inert={open}>
        <ErrorBoundary key={pagePath}>
          {fault && shown?.group === 'Work' ? (
            <Refusal error={fault} reload={() => void refreshDescription()} />
          ) : Shown ? (
            <Suspense fallback={<Spinner label="Loading" />}>
              <Shown path={path.slice(1)} />
            </Suspense>
          ) : entry ? (
            <Empty page icon="keys" title="Not allowed with this key" act={<Link to={['operations']}>Show allowed operations</Link>}>
              This key does not allow {doing(entry)} {entry.title.toLowerCase()}. An admin can create one that does.
            </Empty>
          ) : (
            <Empty page icon="search" title="Page not found" act={<Link to={[]}>Open the overview</Link>}>
              Check the address. It may also come from another version.
            </Empty>
          )}
        </ErrorBoundary>
      </main>
      {searching && <Palette onClose={() => setSearching(false)} onHelp={onHelp} />}
      {helping && <Shortcuts onClose={() => setHelping(false)} />}
    </div>
  )
}

const doing = ({ needs: [need] }: PageEntry) => (need !== undefined && findOperation(need).effect === 'read' ? 'reading' : 'changing')
