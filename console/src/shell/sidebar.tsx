import { useEffect, useRef } from 'react'
import { PendingBadge } from '../journal/pending-badge.tsx'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Logo } from '../parts/logo.tsx'
import { Link } from '../routing/link.tsx'
import { type PageEntry, pagesFor } from '../routing/pages.ts'
import { useSession } from '../session/session.ts'
import { chooseTheme, THEMES, useTheme } from './theme.ts'
import { WorkspaceMenu } from './workspace-menu.tsx'

interface Props {
  readonly open: boolean
  readonly pagePath: string
  readonly onClose: () => void
  readonly onSearch: () => void
}

const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const

export function Sidebar({ open, pagePath, onClose, onSearch }: Props) {
  const { me, workspaces, description, may, signOut } = useSession()
  const theme = useTheme()
  const pages = pagesFor(may)
  const nav = useRef<HTMLElement>(null)
  // Where it covers the page, it takes the focus.
  useEffect(() => {
    if (!open) return
    const first = nav.current?.querySelector<HTMLElement>('[aria-current]') ?? nav.current?.querySelector('a')
    first?.focus()
  }, [open])
  const groups = [...new Set(pages.map(({ group }) => group))]
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <>
      {open && <div className="veil" aria-hidden="true" onClick={onClose} />}
      <nav ref={nav} className={`sidebar${open ? ' sidebar-open' : ''}`} aria-label="Console">
        <div className="sidebar-head">
          <Logo />
          {open && <IconButton icon="close" label="Close menu" onClick={onClose} />}
        </div>
        <button type="button" className="sidebar-search" onClick={onSearch}>
          <Icon name="search" size={16} />
          <span>Search</span>
          <kbd>{/Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'} K</kbd>
        </button>
        <div className="sidebar-pages">
          {groups.map((group) => (
            <section key={group} aria-label={group}>
              <h2>{group}</h2>
              <ul>
                {pages
                  .filter((page) => page.group === group)
                  .map((page) => (
                    <li key={page.path}>
                      <PageLink page={page} current={page.path === pagePath} />
                    </li>
                  ))}
              </ul>
            </section>
          ))}
          <a href="docs/" className="page-link">
            <Icon name="book" />
            Documentation
          </a>
        </div>
        <footer>
          <div className="sidebar-me">
            <strong title={me.Email ?? undefined}>{me.Name}</strong>
            <small>
              {[me.Role, ...(workspaces.length > 1 ? [] : [me.Workspace])].join(' · ')}
              {description.Platform && ` · ${description.Platform}`}
            </small>
            {workspaces.length > 1 && <WorkspaceMenu />}
          </div>
          <IconButton icon={THEME_ICONS[theme]} label={`Theme: ${theme}. Change to ${next}.`} small onClick={() => chooseTheme(next)} />
          <IconButton icon="leave" label="Sign out" small onClick={signOut} />
        </footer>
      </nav>
    </>
  )
}

function PageLink({ page, current }: { readonly page: PageEntry; readonly current: boolean }) {
  return (
    <Link to={page.path === '' ? [] : [page.path]} className="page-link" aria-current={current ? 'page' : undefined}>
      <Icon name={page.icon} />
      {page.title}
      {page.path === 'plans' && <PendingBadge />}
    </Link>
  )
}
