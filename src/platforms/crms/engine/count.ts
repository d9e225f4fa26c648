import { recordType } from '../../../contract/operations.ts'
import type { Budget, UserIds, Where } from '../../platform.ts'
import type { Account } from './account.ts'
import { isPlain, narrowing } from './conditions.ts'
import { matching, objectsOf } from './search.ts'

/** How many records match: counted by the CRM where it compares just as the contract says, otherwise by reading them all. */
export async function countOf(account: Account, userIds: UserIds, type: string, where: readonly Where[], budget?: Budget): Promise<number> {
  const { driver } = account
  const plain = where.filter(isPlain)
  if (plain.length === where.length && plain.every((one) => narrowing(driver, type, one) === 'exactly' && one.field !== 'OwnerID')) {
    const objects = await objectsOf(account, type, where)
    const counts = objects.map((object) => driver.count(type, { where: plain, ...(object && { object: object.name }) }))
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  }
  let count = 0
  const query = { where, order: { field: recordType(type).createdField, descending: false }, limit: Number.MAX_SAFE_INTEGER, fields: [] }
  for await (const page of matching(account, userIds, type, query, { prefetches: true, budget })) count += page.length
  return count
}
