import { User } from '../../contract/records/user.ts'
import type { Reader } from '../../platforms/platform.ts'
import { findRecords, type RecordOf } from '../call/records.ts'

/** The two oldest active admins of a workspace. */
export function activeAdmins(reader: Reader): Promise<readonly RecordOf<typeof User>[]> {
  return findRecords(reader, User, {
    where: [
      { field: 'Role', family: 'text', operator: 'eq', value: 'admin' },
      { field: 'Active', family: 'boolean', operator: 'eq', value: true },
    ],
    order: { field: 'CreatedDate', descending: false },
    limit: 2,
  })
}
