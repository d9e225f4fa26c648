import { User } from '../../contract/records/user.ts'
import type { Found, Reader } from '../../platforms/platform.ts'

/** The active admins of a workspace, first made first. */
export function activeAdmins(reader: Reader): Promise<Found> {
  return reader.find(User.name, {
    where: [
      { field: 'Role', family: 'text', operator: 'eq', value: 'admin' },
      { field: 'Active', family: 'boolean', operator: 'eq', value: true },
    ],
    order: { field: 'CreatedDate', descending: false },
    limit: 1,
  })
}
