import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { PagePath } from './pages.ts'

type PageComponent = ComponentType<{ readonly path: readonly string[] }>

function page<Name extends string>(load: () => Promise<{ readonly [name in Name]: PageComponent }>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }))
}

/** What each page shows. Its code is loaded when it is first opened. */
export const PAGE_COMPONENTS: { readonly [path in PagePath]: LazyExoticComponent<PageComponent> } = {
  '': page(() => import('../overview/overview.tsx'), 'Overview'),
  leads: page(() => import('../records/pages.tsx'), 'Leads'),
  opportunities: page(() => import('../records/pages.tsx'), 'Opportunities'),
  companies: page(() => import('../records/pages.tsx'), 'Companies'),
  contacts: page(() => import('../records/pages.tsx'), 'Contacts'),
  cases: page(() => import('../records/pages.tsx'), 'Cases'),
  campaigns: page(() => import('../records/pages.tsx'), 'Campaigns'),
  objects: page(() => import('../custom-objects/custom-objects.tsx'), 'CustomObjects'),
  changes: page(() => import('../journal/changes.tsx'), 'Changes'),
  events: page(() => import('../journal/events.tsx'), 'Events'),
  plans: page(() => import('../journal/confirmations.tsx'), 'Confirmations'),
  operations: page(() => import('../operations/operations.tsx'), 'Operations'),
  fields: page(() => import('../administration/fields.tsx'), 'Fields'),
  connections: page(() => import('../connections/connections.tsx'), 'Connections'),
  webhooks: page(() => import('../webhooks/webhooks.tsx'), 'Webhooks'),
  keys: page(() => import('../administration/keys.tsx'), 'Keys'),
  agents: page(() => import('../consent/agents.tsx'), 'Agents'),
  users: page(() => import('../administration/users.tsx'), 'Users'),
  workspaces: page(() => import('../workspaces/workspaces.tsx'), 'Workspaces'),
}
