import type { User } from 'crm-connector'

export interface TreeRow {
  readonly user: User
  /** How many managers are above. */
  readonly depth: number
}

/** Users below the manager they report to; those without a visible manager are at the top level. */
export function treeOf(users: readonly User[]): TreeRow[] {
  const ids = new Set(users.map(({ UserID }) => UserID))
  const reports = new Map<string, User[]>()
  for (const user of users) {
    const managerId = user.ManagerID !== null && ids.has(user.ManagerID) ? user.ManagerID : ''
    reports.set(managerId, [...(reports.get(managerId) ?? []), user])
  }
  const rows: TreeRow[] = []
  const place = (managerId: string, depth: number) => {
    for (const user of reports.get(managerId) ?? []) {
      rows.push({ user, depth })
      place(user.UserID, depth + 1)
    }
  }
  place('', 0)
  return rows
}
