import type { ChangedRecord, Feed, Platform, Reader, StoredRecord, UserIds } from '../../platforms/platform.ts'
import type { Store, Workspace } from '../../platforms/store.ts'
import type { Service } from '../service.ts'
import { mirrorStore } from './mirrored.ts'
import { Untaken } from './untaken.ts'
import { feedWithin, readerWithin, type WatchedReader, type Within } from './within.ts'

/** An account whose changes are followed, with its mirror. */
export interface Watched {
  readonly service: Service
  readonly workspace: Workspace
  readonly platform: Platform
  readonly feed: Feed
  /** The records of the account, with its own ids of users. What others have deleted is not found, although it was just written through the connector. */
  readonly records: WatchedReader
  /** The store with the account's own fields, and what the mirror has in it. */
  readonly store: Store
  readonly mirror: Reader
  /** The mirror with the rows of what is attached to records as they are stored. */
  readonly rows: Reader
  userIds(): Promise<UserIds> | UserIds
  /** What the store has not taken since the watch has begun. */
  readonly untaken: Untaken
}

/** An account as it is followed; undefined where it cannot be. */
export function watchedIn(service: Service, workspace: Workspace, platform: Platform, within: Within = (read) => read()): Watched | undefined {
  if (!platform.feed) return undefined
  const feed = feedWithin(platform.feed, within)
  const records = readerWithin(platform.reader(workspace.number, { asSearched: true }), within)
  const store = mirrorStore(service.store, platform)
  const { number } = workspace
  return {
    service,
    workspace,
    platform,
    feed,
    records,
    store,
    mirror: store.mirror(number),
    rows: service.store.mirror(number),
    userIds: () => userIdsOn(platform, number),
    untaken: new Untaken(),
  }
}

export const NO_USERS: UserIds = { toPlatform: () => undefined, fromPlatform: () => undefined, has: () => false }

/** The ids of users on a platform. */
export const userIdsOn = (platform: Platform, workspace: number): Promise<UserIds> | UserIds => platform.userIds?.(workspace) ?? NO_USERS

/** Up to when the searches of an account know what was written, in milliseconds by its clock. */
export const searchableUntil = (feed: Feed): number => feed.now() - feed.lagMs

/** For how long lists of an account may know less of a record than the mirror, which own writes and single reads have brought up. */
const LISTED_LATE_MS = 60_000

/** Whether what a list says of a record may be older than what the mirror has of it. */
export const isListedLate = (feed: Feed, row: StoredRecord, field: string): boolean => Date.parse(String(row[field])) > feed.now() - LISTED_LATE_MS

type Versioned = StoredRecord | ChangedRecord

/** Whether two readings of a record show the same version of it. */
export function isSameVersion({ isSameRevision }: Platform, one: Versioned | undefined, other: Versioned | undefined): boolean {
  if (!one || !other) return one === other
  const [a, b] = [Number(one.Revision), Number(other.Revision)]
  return a === b || (isSameRevision?.(a, b) ?? false)
}
