import { User } from '../../contract/records/user.ts'
import type { Platform, UserIds } from '../../platforms/platform.ts'
import type { Store } from '../../platforms/store.ts'

const PAGE = 1000

interface Known {
  readonly version: number
  readonly people: Promise<UserIds>
}

/** What was read of users, by workspace, until one of them changes. */
const known = new WeakMap<Store, Map<number, Known>>()

/** Who the users of a workspace are on a platform that has users of its own. */
export function userIdsOf(store: Store, workspace: number): Promise<UserIds> {
  const workspaces = known.get(store) ?? new Map<number, Known>()
  known.set(store, workspaces)
  const version = store.accessVersion()
  const kept = workspaces.get(workspace)
  if (kept?.version === version) return kept.people
  const people = readPeople(store, workspace)
  workspaces.set(workspace, { version, people })
  people.catch(() => workspaces.delete(workspace))
  return people
}

async function readPeople(store: Store, workspace: number): Promise<UserIds> {
  const theirs = new Map<string, string | null>()
  const ours = new Map<string, string>()
  let after: { readonly value: string; readonly id: string } | undefined
  for (;;) {
    const query = { where: [], order: { field: User.id, descending: false }, limit: PAGE, ...(after && { after }) }
    const { records, more } = await store.reader(workspace).find(User.name, query)
    for (const { UserID, PlatformUserID } of records) {
      theirs.set(UserID as string, PlatformUserID as string | null)
      // Whoever came first is meant where two say that they are the same.
      if (PlatformUserID !== null && !ours.has(PlatformUserID as string)) ours.set(PlatformUserID as string, UserID as string)
    }
    const last = records.at(-1)?.UserID as string | undefined
    if (!more || last === undefined) break
    after = { value: last, id: last }
  }
  return { toPlatform: (userId) => theirs.get(userId) ?? undefined, fromPlatform: (id) => ours.get(id), has: (userId) => theirs.has(userId) }
}

/** A platform with users of its own that knows who ours are there. */
export function withUserIds(platform: Platform, store: Store): Platform {
  const of = (workspace: number) => () => userIdsOf(store, workspace)
  return {
    ...platform,
    reader: (workspace) => platform.reader(workspace, of(workspace)),
    write: (workspace, work, how) => platform.write(workspace, work, { ...how, userIds: of(workspace) }),
  }
}
