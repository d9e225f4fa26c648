import { User } from '../../contract/records/user.ts'
import type { Reader } from '../../platforms/platform.ts'
import { findRecords, type RecordOf } from '../call/records.ts'

/** The only user of a workspace with this value; undefined where there are several. */
export async function userWith(reader: Pick<Reader, 'find'>, field: 'Identity' | 'Email', value: string): Promise<RecordOf<typeof User> | undefined> {
  const query = {
    where: [{ field, family: 'text', operator: 'eq', value }],
    order: { field: 'CreatedDate', descending: false },
    limit: 2,
  } as const
  const found = await findRecords(reader, User, query)
  return found.length === 1 ? found[0] : undefined
}
