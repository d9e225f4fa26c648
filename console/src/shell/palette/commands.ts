import { OPERATIONS } from 'crm-connector/contract'
import { pageAt, pagesFor } from '../../routing/pages.ts'
import { go, type Route } from '../../routing/router.ts'
import type { Session } from '../../session/session.ts'
import { chooseTheme, THEMES } from '../theme.ts'
import { actionsFor } from './actions.ts'
import type { Command } from './command.ts'
import { pageCommands } from './page-commands.ts'
import { recentRecords } from './recent.ts'

const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const

interface Means {
  readonly route: Route
  readonly showShortcuts: () => void
  readonly goToWorkspace: (name: string) => void
}

/** All commands except for records, which the service searches. */
export function commandsFor(session: Session, { route, showShortcuts, goToWorkspace }: Means): Command[] {
  const { me, may, description, signOut } = session
  const pages = pagesFor(may).map(
    ({ path, title, icon }): Command => ({ id: `page-${path}`, section: 'Pages', title, icon, act: () => go(path === '' ? [] : [path]) }),
  )
  const objects = pages.some(({ id }) => id === 'page-objects') ? description.CustomObjects : []
  const objectPages = objects.map(
    ({ ObjectName }): Command => ({ id: `object-${ObjectName}`, section: 'Pages', title: ObjectName, icon: 'objects', act: () => go(['objects', ObjectName]) }),
  )
  const recent = recentRecords(me.UserID)
    .filter(({ path }) => pagesFor(may).some((page) => page.path === path[0]))
    .map(({ path, title }): Command => {
      const page = pageAt(path[0] ?? '')
      return { id: `recent-${path.join('-')}`, section: 'Recent', title, about: page?.title ?? '', icon: page?.icon ?? 'right', act: () => go(path) }
    })
  const operations = OPERATIONS.filter(({ id }) => may(id)).map(({ id, name, summary, method }): Command => {
    return {
      id: `operation-${id}`,
      section: 'Operations',
      title: name,
      about: summary,
      also: `${id} ${method}`,
      icon: 'operations',
      act: () => go(['operations', id]),
    }
  })
  const themes = THEMES.map((theme): Command => {
    return {
      id: `theme-${theme}`,
      section: 'Console',
      title: `Theme: ${theme}`,
      also: 'appearance mode colours',
      icon: THEME_ICONS[theme],
      act: () => chooseTheme(theme),
    }
  })
  return [
    ...pageCommands(),
    ...recent,
    ...pages,
    ...objectPages,
    ...actionsFor(session, route, goToWorkspace),
    ...operations,
    ...themes,
    { id: 'shortcuts', section: 'Console', title: 'Keyboard shortcuts', icon: 'more', also: 'help keys', act: showShortcuts },
    {
      id: 'reference',
      section: 'Console',
      title: 'Documentation',
      icon: 'book',
      also: 'docs help guide API reference',
      act: () => window.location.assign('docs/'),
    },
    { id: 'sign-out', section: 'Console', title: 'Sign out', icon: 'leave', also: 'log out leave', act: signOut },
  ]
}
