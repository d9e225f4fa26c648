import type { User } from 'crm-connector'

export interface TreeRow {
  readonly user: User
  /** How many are above them. */
  readonly depth: number
}

/** Everyone below the manager they report to; who reports to nobody that is known comes first. */
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
