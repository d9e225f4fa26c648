import type { IconName } from '../parts/icon.tsx'

export interface PageEntry {
  /** The first part of its address; the rest is the page's own. */
  readonly path: string
  readonly title: string
  readonly icon: IconName
  readonly group: 'Work' | 'Journal' | 'Build'
  /** The page is shown if the key allows at least one of these operations, or if there are none. */
  readonly needs: readonly string[]
}

const OVERVIEW = ['get_summary_of_leads', 'get_summary_opportunity', 'case_get_summary', 'get_many_events']

export const PAGES = [
  { path: '', title: 'Overview', icon: 'overview', group: 'Work', needs: OVERVIEW },
  { path: 'leads', title: 'Leads', icon: 'leads', group: 'Work', needs: ['get_many_leads'] },
  { path: 'opportunities', title: 'Opportunities', icon: 'opportunities', group: 'Work', needs: ['get_many_opportunities'] },
  { path: 'companies', title: 'Companies', icon: 'companies', group: 'Work', needs: ['get_many_companies'] },
  { path: 'contacts', title: 'Contacts', icon: 'contacts', group: 'Work', needs: ['get_many_contacts'] },
  { path: 'cases', title: 'Cases', icon: 'cases', group: 'Work', needs: ['get_many_cases'] },
  { path: 'campaigns', title: 'Campaigns', icon: 'campaigns', group: 'Work', needs: ['get_many_campaigns'] },
  { path: 'objects', title: 'Custom objects', icon: 'objects', group: 'Work', needs: ['get_many_custom_objects'] },
  { path: 'changes', title: 'Changes', icon: 'changes', group: 'Journal', needs: ['get_many_changes'] },
  { path: 'events', title: 'Events', icon: 'events', group: 'Journal', needs: ['get_many_events'] },
  // The address is older than the title, and saved links must go on working.
  { path: 'plans', title: 'Approvals', icon: 'plans', group: 'Journal', needs: ['get_many_plans'] },
  { path: 'operations', title: 'Operations', icon: 'operations', group: 'Build', needs: [] },
  { path: 'fields', title: 'Fields', icon: 'fields', group: 'Build', needs: ['define_field', 'update_field', 'retire_field'] },
  { path: 'connections', title: 'Connections', icon: 'connections', group: 'Build', needs: ['get_many_connections'] },
  { path: 'webhooks', title: 'Webhooks', icon: 'webhooks', group: 'Build', needs: ['get_many_webhooks'] },
  { path: 'keys', title: 'API keys', icon: 'keys', group: 'Build', needs: ['get_many_keys'] },
  { path: 'agents', title: 'Connected agents', icon: 'agents', group: 'Build', needs: [] },
  { path: 'users', title: 'Users', icon: 'users', group: 'Build', needs: ['create_user', 'update_user'] },
  { path: 'workspaces', title: 'Workspaces', icon: 'workspaces', group: 'Build', needs: ['get_many_workspaces'] },
] as const satisfies readonly PageEntry[]

export type PagePath = (typeof PAGES)[number]['path']

export const pageAt = (path: string): ((typeof PAGES)[number] & PageEntry) | undefined => PAGES.find((page) => page.path === path)

/** The pages that the key allows. */
export const pagesFor = (may: (operation: string) => boolean) => PAGES.filter(({ needs }: PageEntry) => needs.length === 0 || needs.some(may))
