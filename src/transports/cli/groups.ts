import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isForAdmins } from '../../contract/scopes.ts'

/** What the operations are listed under, by the first part of their method. */
const GROUPS: { readonly [part: string]: string } = {
  leads: 'Leads',
  opportunities: 'Opportunities',
  cases: 'Cases',
  customObjects: 'Custom objects',
  campaigns: 'Campaigns',
  changes: 'Journal',
  events: 'Journal',
}
const ABOUT = 'About records'
const ADMINISTRATION = 'Administration'

export const JOURNAL = 'Journal'
export const FILES = 'Files'
export const SERVICE = 'Service'
export const STORE = 'Store'

function groupOf({ method, tier }: Operation): string {
  return GROUPS[method.split('.')[0] ?? ''] ?? (isForAdmins(tier) || method.startsWith('users.') ? ADMINISTRATION : ABOUT)
}

/** The operations in the order and under the headings that they are listed in. */
export function groupedOperations(): ReadonlyMap<string, readonly Operation[]> {
  const order = ['Leads', 'Opportunities', 'Cases', 'Custom objects', 'Campaigns', ABOUT, ADMINISTRATION, JOURNAL]
  return new Map(order.map((group) => [group, OPERATIONS.filter((operation) => groupOf(operation) === group)]))
}
