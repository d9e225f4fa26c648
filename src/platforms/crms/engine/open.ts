import { canonicalId } from '../../../contract/canonical-ids.ts'
import { Locks } from '../../../helpers/locks.ts'
import type { Platform, Supports, UserNames } from '../../platform.ts'
import type { Account } from './account.ts'
import { CreatedRecords } from './created-records.ts'
import type { CrmDriver } from './driver.ts'
import { failureOf } from './errors.ts'
import { feedOf } from './feed.ts'
import type { CrmKind, OpenOptions } from './kind.ts'
import { OpenSearches } from './open-searches.ts'
import { CrmReader } from './reader.ts'
import { RecentWrites } from './recent-writes.ts'
import { RequestBatches } from './request-batches.ts'
import { isSameRevision, Revisions } from './revisions.ts'
import { hideSecrets } from './secrets.ts'
import type { Tables } from './tables.ts'
import { keepUserNames } from './user-names.ts'
import { CrmWriter } from './writer.ts'

/** The types whose records are in the same object of the CRM. */
const typesWith = (tables: Tables, type: string) => {
  const { object } = tables[type] ?? {}
  return object === undefined ? [type] : Object.keys(tables).filter((name) => tables[name]?.object === object)
}

/** A successful ping is cached for this long, since each one counts against the account's quota. */
const PING_MS = 30_000

/** Opens an account of a CRM as a platform. */
export async function openCrmPlatform(kind: CrmKind, opening: OpenOptions & { readonly reconcileMs: number }): Promise<Platform> {
  hideSecrets(opening.secrets)
  const driver = await kind.open(opening)
  const account: Account = {
    driver,
    revisions: new Revisions(!driver.supports.movesDates, (type, field) => driver.supports.extras[type]?.[field]?.readOnly === true),
    recentWrites: new RecentWrites(driver.supports.lagMs),
    searches: new OpenSearches(),
    createdRecords: new CreatedRecords(),
    locks: new Locks(),
    reconcileMs: opening.reconcileMs,
    searchMs: opening.searchMs,
  }
  const asSearched: Account = { ...account, recentWrites: new RecentWrites(0), searches: new OpenSearches() }
  const supportsOf = ({ fields, extras, authors, tickMs, page, together, lagMs }: CrmDriver['supports']): Supports => ({
    transactions: false,
    ordered: false,
    fields,
    extras,
    authors,
    restores: false,
    ...(driver.keepsErased && {
      erasure: (type: string) => ({ types: typesWith(opening.tables, type), keeps: driver.keepsErased?.(type) ?? null }),
    }),
    ownUsers: false,
    tickMs,
    batchesRequests: together > 1,
    page,
    // One request, and once more where a session has expired or the CRM was busy.
    requestMs: 2 * opening.settings.timeoutMs,
    // What searches do not show yet may still be there.
    reconcileMs: opening.reconcileMs + lagMs,
  })
  let known = { of: driver.supports, supports: supportsOf(driver.supports) }
  let answered = Date.now()
  return {
    name: driver.name,
    account: driver.account,
    openedWith: opening.openedWith,
    /** The same object while the driver's is: what people change in an account is a new one. */
    get supports() {
      const of = driver.supports
      if (of !== known.of) known = { of, supports: supportsOf(of) }
      return known.supports
    },
    reader: (_workspace, options = {}) => new CrmReader(options.asSearched ? asSearched : account, options),
    async write(_workspace, work, how = {}) {
      const writer = new CrmWriter(account, how)
      try {
        return await work(writer)
      } finally {
        await writer.end()
      }
    },
    requestGroup: () => new RequestBatches(driver),
    canonicalId: (type, id) => canonicalId(driver, type, id),
    ...(driver.findUser && { findUser: (id: string) => driver.findUser?.(id) as Promise<string | undefined> }),
    ...(driver.userNames && { userNames: keepUserNames(() => driver.userNames?.() as Promise<UserNames>) }),
    feed: feedOf(account),
    quota: () => driver.quota(),
    isSameRevision,
    classify: failureOf,
    async ping() {
      if (Date.now() - answered < PING_MS) return
      await driver.ping()
      answered = Date.now()
    },
    close: () => driver.close(),
  }
}
