import type { Platform, Supports } from '../../platform.ts'
import type { Account } from './account.ts'
import { CreatedRecords } from './created-records.ts'
import { CursorCache } from './cursor-cache.ts'
import { failureOf } from './errors.ts'
import type { CrmKind, OpenOptions } from './kind.ts'
import { CrmReader } from './reader.ts'
import { RecentWrites } from './recent-writes.ts'
import { RecordLocks } from './record-locks.ts'
import { RequestBatches } from './request-batches.ts'
import { Revisions } from './revisions.ts'
import { CrmWriter } from './writer.ts'

/** A CRM that has answered is taken to be there for so long, for each question counts against the account's quota. */
const PING_MS = 30_000

/** Opens an account of a CRM as a place where records live. */
export async function openCrmPlatform(kind: CrmKind, opening: OpenOptions & { readonly settleMs: number }): Promise<Platform> {
  const wire = await kind.open(opening)
  const account: Account = {
    wire,
    revisions: new Revisions(),
    recent: new RecentWrites(wire.supports.lagMs),
    searches: new CursorCache(),
    births: new CreatedRecords(),
    turns: new RecordLocks(),
    settleMs: opening.settleMs,
  }
  const { fields, extras, authors, tickMs, page, together } = wire.supports
  const supports: Supports = {
    transactions: false,
    ordered: false,
    fields,
    extras,
    authors,
    restores: false,
    ownUsers: false,
    tickMs,
    batchesRequests: together > 1,
    page,
    reconcileMs: opening.settleMs,
  }
  let answered = Date.now()
  return {
    name: wire.name,
    supports,
    reader: (_workspace, people) => new CrmReader(account, people),
    async write(_workspace, work, how = {}) {
      const writer = new CrmWriter(account, how)
      try {
        return await work(writer)
      } finally {
        await writer.end()
      }
    },
    requestGroup: () => new RequestBatches(wire),
    quota: () => wire.quota(),
    classify: failureOf,
    async ping() {
      // Whoever asks often asks for little.
      if (Date.now() - answered < PING_MS) return
      await wire.ping()
      answered = Date.now()
    },
    close: () => wire.close(),
  }
}
