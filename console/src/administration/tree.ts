import type { User } from 'crm-connector'

export interface Placed {
  readonly user: User
  /** How many are above them. */
  readonly depth: number
}

/** Everyone below the manager they report to; who reports to nobody that is known comes first. */
export function treeOf(users: readonly User[]): Placed[] {
  const known = new Set(users.map(({ UserID }) => UserID))
  const below = new Map<string, User[]>()
  for (const user of users) {
    const above = user.ManagerID !== null && known.has(user.ManagerID) ? user.ManagerID : ''
    below.set(above, [...(below.get(above) ?? []), user])
  }
  const placed: Placed[] = []
  const place = (above: string, depth: number) => {
    for (const user of below.get(above) ?? []) {
      placed.push({ user, depth })
      place(user.UserID, depth + 1)
    }
  }
  place('', 0)
  return placed
}
