import { OPERATIONS } from 'crm-connector/contract'
import { pageAt, pagesFor } from '../../routing/pages.ts'
import { go } from '../../routing/router.ts'
import type { Session } from '../../session/session.ts'
import { chooseTheme, THEMES } from '../theme.ts'
import type { Command } from './command.ts'
import { recentRecords } from './recent.ts'

const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const

/** All commands except for records, which the service searches. */
export function commandsFor({ me, may, signOut }: Session, showShortcuts: () => void): Command[] {
  const pages = pagesFor(may).map(
    ({ path, title, icon }): Command => ({ id: `page-${path}`, section: 'Pages', title, icon, act: () => go(path === '' ? [] : [path]) }),
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
    ...recent,
    ...pages,
    ...operations,
    ...themes,
    { id: 'shortcuts', section: 'Console', title: 'Keyboard shortcuts', icon: 'more', also: 'help keys', act: showShortcuts },
    { id: 'reference', section: 'Console', title: 'API reference', icon: 'book', also: 'docs documentation', act: () => window.location.assign('docs') },
    { id: 'sign-out', section: 'Console', title: 'Sign out', icon: 'leave', also: 'log out leave', act: signOut },
  ]
}
