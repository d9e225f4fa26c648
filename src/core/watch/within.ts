import type { AttachedFeed, Feed, Reader } from '../../platforms/platform.ts'

/** What a watch reads of an account. */
export type WatchedReader = Pick<Reader, 'find' | 'getAll' | 'count' | 'exported'>

/** Does one reading: once its request may be sent, and no longer than the watch goes on. */
export type Within = <T>(read: () => Promise<T>) => Promise<T>

/** The result of a reading, unless the signal aborts meanwhile: a CRM that does not answer is not waited for then. */
export async function unlessAborted<T>(signal: AbortSignal, reading: Promise<T>): Promise<T> {
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
  try {
    return await Promise.race([reading, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** A reader that takes each of its readings from an allowance first, as one request, which is what a page costs mostly. Further ones are counted as they are sent. */
export const readerWithin = (reader: Reader, within: Within): WatchedReader => ({
  find: (type, query) => within(() => reader.find(type, query)),
  getAll: (type, ids) => within(() => reader.getAll(type, ids)),
  count: (type, where) => within(() => reader.count(type, where)),
  exported: reader.exported && ((type, cursor) => within(async () => reader.exported?.(type, cursor))),
})

/** The same for a feed. */
export const feedWithin = (feed: Feed, within: Within): Feed => ({
  now: () => feed.now(),
  lagMs: feed.lagMs,
  attached: feed.attached && attachedWithin(feed.attached, within),
  ...(feed.changedSince && { changedSince: (type: string, since: number) => pagesWithin(feed.changedSince?.(type, since), within) }),
  isLeftOut: feed.isLeftOut,
  ...(feed.subscribe && { subscribe: (address: string, path: string) => within(async () => feed.subscribe?.(address, path)) }),
  leftOut: feed.leftOut,
  ...(feed.changedBy && { changedBy: (type: string, ids: readonly string[]) => within(async () => feed.changedBy?.(type, ids) ?? new Map()) }),
  ...(feed.deletedSince && { deletedSince: (type: string, since: number) => within(async () => feed.deletedSince?.(type, since)) }),
})

/** An empty page leads to the next one at once. */
async function* pagesWithin<T>(pages: AsyncIterable<readonly T[]> | undefined, within: Within): AsyncGenerator<readonly T[]> {
  const iterator = pages?.[Symbol.asyncIterator]()
  for (let next = await within(async () => iterator?.next()); next && !next.done; ) {
    yield next.value
    next = await (next.value.length > 0 ? within(async () => iterator?.next()) : iterator?.next())
  }
}

const attachedWithin = ({ changedSince, get, idsOn, created, campaigns }: AttachedFeed, within: Within): AttachedFeed => ({
  changedSince: (type, since, cursor) => within(() => changedSince(type, since, cursor)),
  get: (type, ids) => within(() => get(type, ids)),
  idsOn: (type, on, parents) => within(() => idsOn(type, on, parents)),
  created: created && {
    count: (type, span) => within(() => created.count(type, span)),
    ids: (type, span) => within(() => created.ids(type, span)),
  },
  campaigns: campaigns && {
    sizes: () => within(() => campaigns.sizes()),
    members: (campaign) => within(() => campaigns.members(campaign)),
  },
})
