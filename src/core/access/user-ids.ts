import { User } from '../../contract/records/user.ts'
import { IdleCache } from '../../helpers/idle-cache.ts'
import type { Platform, UserIds } from '../../platforms/platform.ts'
import type { Store } from '../../platforms/store.ts'
import { findRecords } from '../call/records.ts'

const PAGE = 1000

interface Cached {
  readonly version: number
  readonly platform: Platform
  readonly userIds: Promise<UserIds>
}

/** The user ids of each workspace; stale once a user or key changes, or for the calls of another account. */
const cache = new WeakMap<Store, IdleCache<number, Cached>>()

/** The ids of a workspace's users on its CRM. */
function userIdsOf(store: Store, workspace: number, platform: Platform): Promise<UserIds> {
  const workspaces = cache.get(store) ?? new IdleCache<number, Cached>()
  cache.set(store, workspaces)
  const version = store.accessVersion()
  const cached = workspaces.get(workspace)
  if (cached?.version === version && cached.platform === platform) return cached.userIds
  const userIds = readUserIds(store, workspace, platform)
  workspaces.set(workspace, { version, platform, userIds })
  userIds.catch(() => workspaces.delete(workspace))
  return userIds
}

async function readUserIds(store: Store, workspace: number, { canonicalId = (_type, id) => id }: Platform): Promise<UserIds> {
  const theirs = new Map<string, string | null>()
  const ours = new Map<string, string>()
  let after: { readonly value: string; readonly id: string } | undefined
  for (;;) {
    const query = { where: [], order: { field: User.id, descending: false }, limit: PAGE, ...(after && { after }) }
    const users = await findRecords(store.reader(workspace), User, query)
    for (const { UserID, PlatformUserID: given } of users) {
      const PlatformUserID = given === null ? null : canonicalId(User.name, given)
      theirs.set(UserID, PlatformUserID)
      // Where two users have the same PlatformUserID, the older one counts.
      if (PlatformUserID !== null && !ours.has(PlatformUserID)) ours.set(PlatformUserID, UserID)
    }
    const last = users.at(-1)?.UserID
    if (users.length < PAGE || last === undefined) break
    after = { value: last, id: last }
  }
  return { toPlatform: (userId) => theirs.get(userId) ?? undefined, fromPlatform: (id) => ours.get(id), has: (userId) => theirs.has(userId) }
}

/** A CRM whose readers and writers translate user ids. */
export function withUserIds(platform: Platform, store: Store): Platform {
  const of = (workspace: number) => () => userIdsOf(store, workspace, platform)
  return {
    ...platform,
    // Not copied: a CRM that is opened late learns then what it supports.
    get supports() {
      return platform.supports
    },
    get feed() {
      return platform.feed
    },
    get account() {
      return platform.account
    },
    get isRecalled() {
      return platform.isRecalled ?? false
    },
    userIds: (workspace) => of(workspace)(),
    reader: (workspace, how) => platform.reader(workspace, how?.asSearched ? how : { ...how, userIds: of(workspace) }),
    write: (workspace, work, how) => platform.write(workspace, work, { ...how, userIds: of(workspace) }),
  }
}
