import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../contract/errors.ts'
import { backoffMs } from '../helpers/backoff.ts'
import type { Platform, Reader, Supports } from '../platforms/platform.ts'

/** How long a service that starts waits for a CRM. */
const PATIENCE_MS = 5_000
/** When it is tried again to open a CRM that was down. */
const BACKOFF = { firstMs: 2_000, longestMs: 60_000 }

const isPassing = ({ code }: CrmError) => code === 'platform_unavailable' || code === 'rate_limited'

/** What is known of a CRM before it has been opened: nothing that is particular to the account. */
const UNOPENED: Supports = {
  transactions: false,
  ordered: false,
  fields: {},
  extras: {},
  authors: [],
  restores: false,
  ownUsers: false,
  tickMs: 1_000,
  batchesRequests: false,
  page: 200,
  requestMs: 60_000,
  reconcileMs: 120_000,
}

/** The same for one that has refused us, which a person has to mend. */
const REFUSED = { firstMs: 60_000, longestMs: 15 * 60_000 }

/**
 * Opens a CRM although it is down: then its calls are refused until it has been opened, which is tried again and again. Any other failure is thrown,
 * unless `evenRefused`.
 */
export async function openInAnyCase(name: string, url: string, open: () => Promise<Platform>, evenRefused = false): Promise<Platform> {
  let failure: CrmError | undefined
  let platform: Platform | undefined
  let closed = false
  let attempts = 0
  let timer: NodeJS.Timeout | undefined

  async function attempt(): Promise<void> {
    try {
      const opened = await open()
      if (closed) await opened.close()
      else platform = opened
    } catch (error) {
      failure = error as CrmError
      if (!closed) timer = setTimeout(attempt, backoffMs(++attempts, isPassing(failure) ? BACKOFF : REFUSED)).unref()
    }
  }

  await Promise.race([attempt(), sleep(PATIENCE_MS, undefined, { ref: false })])
  if (platform) return platform
  if (failure && !isPassing(failure) && !evenRefused) {
    clearTimeout(timer)
    throw failure
  }

  const why = () => failure?.message ?? `The platform ${url} has not answered yet.`
  const refuse = async (): Promise<never> => {
    throw new CrmError('platform_unavailable', why(), {
      ...(failure && !isPassing(failure) ? { retryable: false } : { retryAfter: 5 }),
      ...(failure?.hint !== undefined && { hint: failure.hint }),
    })
  }
  const refusing: Reader = {
    get: refuse,
    getAll: refuse,
    getWithTotals: refuse,
    find: refuse,
    tally: refuse,
    count: refuse,
    firstCreated: refuse,
    oldestNotIn: refuse,
    search: refuse,
  }
  return {
    name,
    get supports() {
      return platform?.supports ?? UNOPENED
    },
    get account() {
      return platform?.account
    },
    get feed() {
      return platform?.feed
    },
    remark: `${why()} The service has started without it: its calls are refused until it answers, everything else is served.`,
    reader: (workspace, options) => platform?.reader(workspace, options) ?? refusing,
    write: (workspace, work, options) => platform?.write(workspace, work, options) ?? refuse(),
    canonicalId: (type, id) => platform?.canonicalId?.(type, id) ?? id,
    findUser: (id) => (platform ? (platform.findUser?.(id) ?? Promise.resolve(id)) : refuse()),
    isSameRevision: (one, other) => platform?.isSameRevision?.(one, other) ?? one === other,
    classify: (error) => platform?.classify(error),
    requestGroup: () => platform?.requestGroup?.() ?? {},
    quota: () => platform?.quota?.(),
    ping: () => platform?.ping() ?? refuse(),
    async close() {
      closed = true
      clearTimeout(timer)
      await platform?.close()
    },
  }
}
