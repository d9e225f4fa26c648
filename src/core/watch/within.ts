import type { AttachedFeed, Feed, Reader } from '../../platforms/platform.ts'

/** What a watch reads of an account. */
export type WatchedReader = Pick<Reader, 'find' | 'getAll' | 'count' | 'exported'>

/** A reader that takes each of its readings from an allowance first. One counts as a request, since that is what a page costs. */
export const readerWithin = (reader: Reader, take: () => Promise<void>): WatchedReader => ({
  find: (type, query) => take().then(() => reader.find(type, query)),
  getAll: (type, ids) => take().then(() => reader.getAll(type, ids)),
  count: (type, where) => take().then(() => reader.count(type, where)),
  exported: reader.exported && ((type, cursor) => take().then(() => reader.exported?.(type, cursor))),
})

/** The same for a feed. */
export const feedWithin = (feed: Feed, take: () => Promise<void>): Feed => ({
  now: () => feed.now(),
  lagMs: feed.lagMs,
  attached: feed.attached && attachedWithin(feed.attached, take),
  ...(feed.changedSince && {
    async *changedSince(type: string, since: number) {
      await take()
      for await (const page of feed.changedSince?.(type, since) ?? []) {
        yield page
        if (page.length > 0) await take()
      }
    },
  }),
  isLeftOut: feed.isLeftOut,
  ...(feed.subscribe && { subscribe: (url: string) => take().then(() => feed.subscribe?.(url)) }),
  asksForLeftOut: feed.asksForLeftOut,
  ...(feed.changedBy && { changedBy: (type: string, ids: readonly string[]) => take().then(() => feed.changedBy?.(type, ids) ?? new Map()) }),
  ...(feed.deletedSince && { deletedSince: (type: string, since: number) => take().then(() => feed.deletedSince?.(type, since)) }),
})

const attachedWithin = ({ changedSince, get, created, campaigns }: AttachedFeed, take: () => Promise<void>): AttachedFeed => ({
  changedSince: (type, since, cursor) => take().then(() => changedSince(type, since, cursor)),
  get: (type, ids) => take().then(() => get(type, ids)),
  created: created && {
    count: (type, span) => take().then(() => created.count(type, span)),
    ids: (type, span) => take().then(() => created.ids(type, span)),
  },
  campaigns: campaigns && {
    sizes: () => take().then(() => campaigns.sizes()),
    members: (campaign) => take().then(() => campaigns.members(campaign)),
  },
})
