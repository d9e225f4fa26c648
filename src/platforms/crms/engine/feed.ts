import { recordType } from '../../../contract/operations.ts'
import type { Feed } from '../../platform.ts'
import { type Account, toOurRecord } from './account.ts'
import { attachedFeedOf } from './attached-feed.ts'
import { changesOf } from './changes.ts'
import type { CrmDriver } from './driver.ts'
import { NO_USER_IDS } from './reader.ts'

/** What an account tells of the changes that others make in it. */
export function feedOf(account: Account): Feed {
  const { driver } = account
  const objectsOf = async (type: string) => (recordType(type).userDefined ? driver.objects() : [undefined])
  return {
    now: () => driver.now(),
    attached: attachedFeedOf(account),
    get lagMs() {
      return driver.supports.lagMs
    },
    ...(driver.changed && {
      async *changedSince(type: string, since: number) {
        const { id } = recordType(type)
        for (const object of await objectsOf(type)) {
          let cursor: string | undefined
          do {
            const on = { ...(object !== undefined && { object }), ...(cursor !== undefined && { cursor }) }
            const page = await changesOf(driver, type, { since, size: driver.supports.page, ...on })
            const found = (page?.records ?? []).map(({ record }) => toOurRecord(account, NO_USER_IDS, type, record))
            yield found.map((record) => ({ id: record[id] as string, Revision: record.Revision as number, record }))
            cursor = page?.cursor
          } while (cursor !== undefined)
        }
      },
    }),
    ...(driver.subscribe && { subscribe: (address: string, path: string) => (driver.subscribe as Required<CrmDriver>['subscribe'])(address, path) }),
    ...(driver.changedBy && { changedBy: async (type: string, ids: readonly string[]) => (await driver.changedBy?.(type, ids)) ?? new Map() }),
    ...(driver.isLeftOut && { isLeftOut: (type: string, id: string) => driver.isLeftOut?.(type, id) ?? false }),
    ...(driver.leftOut && { leftOut: async () => (await driver.leftOut?.()) ?? {} }),
    ...(driver.deletedSince && {
      async deletedSince(type: string, since: number) {
        const logs = await Promise.all((await objectsOf(type)).map((object) => driver.deletedSince?.(type, since, object)))
        return logs.includes(undefined) ? undefined : logs.flatMap((log) => log ?? [])
      },
    }),
  }
}
