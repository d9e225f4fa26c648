import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalId } from '../contract/canonical-ids.ts'
import { CrmError } from '../contract/errors.ts'
import { Definition } from '../contract/records/custom-object.ts'
import { retryingUntil } from '../core/call/retry.ts'
import type { KeptAccount } from '../core/connections/accounts.ts'
import { backoffMs } from '../helpers/backoff.ts'
import { findAmong } from '../platforms/crms/engine/definitions.ts'
import type { CrmKind } from '../platforms/crms/engine/kind.ts'
import type { Platform, Reader, Supports } from '../platforms/platform.ts'
import { withKeptDefinitions } from './kept-definitions.ts'

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
  erasure: (type) => ({ types: [type], keeps: null }),
  ownUsers: false,
  tickMs: 1_000,
  batchesRequests: false,
  page: 200,
  requestMs: 60_000,
  reconcileMs: 120_000,
}

/** The same for one that has refused us, which a person has to mend. */
const REFUSED = { firstMs: 60_000, longestMs: 15 * 60_000 }

/** A CRM that is opened although it may be down. */
export interface LateCrm extends Pick<CrmKind, 'name' | 'canonicalId'> {
  readonly url: string
  readonly openedWith?: string | undefined
  /** Whether any other failure than being down leaves it to be opened later too. */
  readonly evenRefused?: boolean
  /** Whether it is not opened at all. */
  readonly isOffline?: boolean
  open(): Promise<Platform>
  /** What was kept of the account in the store. */
  recall(): Promise<KeptAccount | undefined>
}

/**
 * Opens a CRM although it is down: then its calls are refused until it has been opened, which is tried again and again. With what was kept of the account, its mirror is read
 * meanwhile. Any other failure is thrown, unless `evenRefused`.
 */
export async function openInAnyCase({ name, url, openedWith, evenRefused = false, isOffline = false, open, recall, ...kind }: LateCrm): Promise<Platform> {
  let failure: CrmError | undefined
  let platform: Platform | undefined
  const ending = new AbortController()
  let attempts = 0
  let timer: NodeJS.Timeout | undefined

  async function attempt(): Promise<void> {
    try {
      const opened = await retryingUntil(ending.signal, open)
      if (ending.signal.aborted) await opened.close()
      else platform = withKeptDefinitions(opened, recall)
    } catch (error) {
      failure = error as CrmError
      if (!ending.signal.aborted) timer = setTimeout(attempt, backoffMs(++attempts, isPassing(failure) ? BACKOFF : REFUSED)).unref()
    }
  }

  if (!isOffline) await Promise.race([attempt(), sleep(PATIENCE_MS, undefined, { ref: false })])
  if (platform) return platform
  if (failure && !isPassing(failure) && !evenRefused) {
    clearTimeout(timer)
    throw failure
  }

  const kept = await recall()
  if (platform) return platform
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
    find: async (type, query) => (kept && type === Definition.name ? findAmong(kept.definitions, query) : refuse()),
    tally: refuse,
    count: refuse,
    firstCreated: refuse,
    oldestNotIn: refuse,
    search: refuse,
  }
  return {
    name,
    openedWith,
    get supports() {
      return platform?.supports ?? kept?.supports ?? UNOPENED
    },
    get account() {
      return platform ? platform.account : kept?.account
    },
    get isRecalled() {
      return !platform && kept !== undefined
    },
    get feed() {
      return platform?.feed
    },
    remark: `${why()} The service has started without it: ${kept ? 'until it answers, it is read from its mirror, and other calls to it are refused' : 'its calls are refused until it answers, everything else is served'}.`,
    reader: (workspace, options) => platform?.reader(workspace, options) ?? refusing,
    write: (workspace, work, options) => platform?.write(workspace, work, options) ?? refuse(),
    canonicalId: (type, id) => canonicalId(platform ?? kind, type, id),
    findUser: (id) => (platform ? (platform.findUser?.(id) ?? Promise.resolve(id)) : refuse()),
    userNames: () => (platform ? (platform.userNames?.() ?? Promise.resolve(new Map())) : refuse()),
    isSameRevision: (one, other) => platform?.isSameRevision?.(one, other) ?? one === other,
    classify: (error) => platform?.classify(error),
    requestGroup: () => platform?.requestGroup?.() ?? {},
    quota: () => platform?.quota?.(),
    ping: () => platform?.ping() ?? refuse(),
    async close() {
      ending.abort()
      clearTimeout(timer)
      await platform?.close()
    },
  }
}
