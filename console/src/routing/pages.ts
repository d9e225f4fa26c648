import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { IconName } from '../parts/icon.tsx'

/** What is shown where. A page is loaded when it is first opened. */
export interface PageEntry {
  /** The first part of its address; the rest is the page's own. */
  readonly path: string
  readonly title: string
  readonly icon: IconName
  readonly group: 'Work' | 'Journal' | 'Build'
  /** The operations of which the key must allow one. */
  readonly needs: readonly string[]
  readonly Page: LazyExoticComponent<ComponentType<{ readonly path: readonly string[] }>>
}

type PageComponent = ComponentType<{ readonly path: readonly string[] }>

function page<Name extends string>(load: () => Promise<{ readonly [name in Name]: PageComponent }>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }))
}

const Leads = page(() => import('../records/pages.tsx'), 'Leads')
const Opportunities = page(() => import('../records/pages.tsx'), 'Opportunities')
const Cases = page(() => import('../records/pages.tsx'), 'Cases')
const Campaigns = page(() => import('../records/pages.tsx'), 'Campaigns')

export const PAGES: readonly PageEntry[] = [
  {
    path: '',
    title: 'Overview',
    icon: 'overview',
    group: 'Work',
    needs: ['get_summary_of_leads', 'get_summary_opportunity', 'case_get_summary', 'get_many_events'],
    Page: page(() => import('../overview/overview.tsx'), 'Overview'),
  },
  { path: 'leads', title: 'Leads', icon: 'leads', group: 'Work', needs: ['get_many_leads'], Page: Leads },
  { path: 'opportunities', title: 'Opportunities', icon: 'opportunities', group: 'Work', needs: ['get_many_opportunities'], Page: Opportunities },
  { path: 'cases', title: 'Cases', icon: 'cases', group: 'Work', needs: ['get_many_cases'], Page: Cases },
  { path: 'campaigns', title: 'Campaigns', icon: 'campaigns', group: 'Work', needs: ['get_many_campaigns'], Page: Campaigns },
  {
    path: 'objects',
    title: 'Custom objects',
    icon: 'objects',
    group: 'Work',
    needs: ['get_many_custom_objects'],
    Page: page(() => import('../custom-objects/custom-objects.tsx'), 'CustomObjects'),
  },
  {
    path: 'changes',
    title: 'Changes',
    icon: 'changes',
    group: 'Journal',
    needs: ['get_many_changes'],
    Page: page(() => import('../journal/changes.tsx'), 'Changes'),
  },
  {
    path: 'events',
    title: 'Events',
    icon: 'events',
    group: 'Journal',
    needs: ['get_many_events'],
    Page: page(() => import('../journal/events.tsx'), 'Events'),
  },
  {
    path: 'plans',
    title: 'Confirmations',
    icon: 'plans',
    group: 'Journal',
    needs: ['get_many_plans'],
    Page: page(() => import('../journal/plans.tsx'), 'Plans'),
  },
  {
    path: 'operations',
    title: 'Operations',
    icon: 'operations',
    group: 'Build',
    needs: [],
    Page: page(() => import('../operations/operations.tsx'), 'Operations'),
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    group: 'Build',
    needs: ['get_many_webhooks'],
    Page: page(() => import('../webhooks/webhooks.tsx'), 'Webhooks'),
  },
  { path: 'keys', title: 'Keys', icon: 'keys', group: 'Build', needs: ['get_many_keys'], Page: page(() => import('../administration/keys.tsx'), 'Keys') },
  {
    path: 'users',
    title: 'Users',
    icon: 'users',
    group: 'Build',
    needs: ['create_user', 'update_user'],
    Page: page(() => import('../administration/users.tsx'), 'Users'),
  },
]

/** The pages that somebody may see. */
export const pagesFor = (may: (operation: string) => boolean): readonly PageEntry[] => PAGES.filter(({ needs }) => needs.length === 0 || needs.some(may))
