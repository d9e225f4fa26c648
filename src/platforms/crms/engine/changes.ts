import type { Condition } from '../../platform.ts'
import type { AttachedType, ChangedPage, ChangeQuery, CrmDriver } from './driver.ts'

const ATTACHED: ReadonlySet<string> = new Set<AttachedType>(['Note', 'Comment', 'Membership'])

const isAttached = (type: string): type is AttachedType => ATTACHED.has(type)

const OLDEST_FIRST = { field: 'UpdatedDate', descending: false }

/**
 * A page of what was created or changed since a moment, oldest change first where the CRM sorts by that; undefined where it does not list this type. A
 * CRM that cannot be asked for changes, as HubSpot's lists cannot, is asked for all records.
 */
export async function changesOf(driver: CrmDriver, type: string, query: ChangeQuery): Promise<ChangedPage | undefined> {
  if (isAttached(type)) return driver.attached?.(type, query)
  if (driver.changed) return driver.changed(type, query)
  const { since, ...page } = query
  const from = since === undefined ? Number.NEGATIVE_INFINITY : since - (since % driver.supports.tickMs)
  const changed: Condition[] = since === undefined ? [] : [{ field: 'UpdatedDate', family: 'timestamp', operator: 'gte', value: new Date(from).toISOString() }]
  const { records, cursor } = await driver.find(type, {
    ...page,
    where: changed.filter((condition) => driver.narrows(type, condition) !== 'not'),
    ...(driver.orders(type, OLDEST_FIRST) && { order: OLDEST_FIRST }),
  })
  const all = records.map((record) => ({ record, at: Date.parse(String(record.UpdatedDate)) }))
  return { records: all.filter(({ at }) => at >= from), ...(cursor !== undefined && { cursor }) }
}
