import { recordType } from '../../../contract/operations.ts'
import type { Feed } from '../../platform.ts'
import type { Account } from './account.ts'

/** What an account tells of the changes that others make in it. */
export function feedOf({ driver }: Account): Feed {
  const objectsOf = async (type: string) => (recordType(type).userDefined ? driver.objects() : [undefined])
  return {
    now: () => driver.now(),
    get lagMs() {
      return driver.supports.lagMs
    },
    ...(driver.deletedSince && {
      async deletedSince(type: string, since: number) {
        const logs = await Promise.all((await objectsOf(type)).map((object) => driver.deletedSince?.(type, since, object)))
        return logs.includes(undefined) ? undefined : logs.flatMap((log) => log ?? [])
      },
    }),
  }
}
