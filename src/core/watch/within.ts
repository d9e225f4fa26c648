import type { Feed, Reader } from '../../platforms/platform.ts'

/** What a watch reads of an account. */
export type WatchedReader = Pick<Reader, 'find' | 'getAll' | 'count' | 'changed'>

/** A reader that takes each of its readings from an allowance first. One counts as a request, since that is what a page costs. */
export const readerWithin = (reader: Reader, take: () => Promise<void>): WatchedReader => ({
  find: (type, query) => take().then(() => reader.find(type, query)),
  getAll: (type, ids) => take().then(() => reader.getAll(type, ids)),
  count: (type, where) => take().then(() => reader.count(type, where)),
  changed: reader.changed && ((...query) => take().then(() => (reader.changed as NonNullable<Reader['changed']>)(...query))),
})

/** The same for a feed. */
export const feedWithin = (feed: Feed, take: () => Promise<void>): Feed => ({
  now: () => feed.now(),
  lagMs: feed.lagMs,
  ...(feed.deletedSince && { deletedSince: (type: string, since: number) => take().then(() => feed.deletedSince?.(type, since)) }),
})
