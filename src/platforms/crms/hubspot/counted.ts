import { recordType } from '../../../contract/operations.ts'
import type { Condition, StoredRecord } from '../../platform.ts'
import type { Handler } from './handler.ts'
import { Records } from './records.ts'

/**
 * A record with the numbers of its child records. HubSpot shows the notes of a record with it, so that one request does for both; memberships are known by
 * their lists alone.
 */
export async function getWithCounts(
  handlerOf: (type: string) => Handler,
  type: string,
  id: string,
): Promise<{ readonly record: StoredRecord; readonly counts: { readonly [child: string]: number } } | undefined> {
  const children = recordType(type).children.map((child) => child.type)
  const [records, notes] = [handlerOf(type), children.find((child) => handlerOf(child) instanceof Records)]
  const counted = async (child: string) => {
    const where: Condition[] = [{ field: recordType(child).childOf?.field as string, family: 'text', operator: 'eq', value: id }]
    return [child, await handlerOf(child).count({ where, on: type })] as const
  }
  const shown = notes !== undefined && records instanceof Records && records.showsAssociations ? notes : undefined
  const [found, ...counts] = await Promise.all([
    shown === undefined ? one(records, id) : (records as Records).getWith(id, (handlerOf(shown) as Records).objects.object),
    ...children.filter((child) => child !== shown).map(counted),
  ])
  if (!found) return undefined
  const own = shown === undefined ? [] : [found.count === undefined ? await counted(shown) : ([shown, found.count] as const)]
  return { record: found.record, counts: Object.fromEntries([...counts, ...own]) }
}

async function one(records: Handler, id: string): Promise<{ readonly record: StoredRecord; readonly count?: number } | undefined> {
  const [record] = await records.get([id])
  return record && { record }
}
