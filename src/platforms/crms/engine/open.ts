import type { Platform, Supports } from '../../platform.ts'
import type { Account } from './account.ts'
import { Births } from './created-records.ts'
import { OpenSearches } from './cursor-cache.ts'
import { failureOf } from './errors.ts'
import type { Opening, WebKind } from './kind.ts'
import { WebReader } from './reader.ts'
import { Recent } from './recent-writes.ts'
import { Turns } from './record-locks.ts'
import { Gathering } from './request-batches.ts'
import { Revisions } from './revisions.ts'
import { WebWriter } from './writer.ts'

/** A CRM that has answered is taken to be there for so long, for each question counts against the account's quota. */
const PING_MS = 30_000

/** Opens an account of a CRM as a place where records live. */
export async function openWeb(kind: WebKind, opening: Opening & { readonly settleMs: number }): Promise<Platform> {
  const wire = await kind.open(opening)
  const account: Account = {
    wire,
    revisions: new Revisions(),
    recent: new Recent(wire.supports.lagMs),
    searches: new OpenSearches(),
    births: new Births(),
    turns: new Turns(),
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
    gathers: together > 1,
    page,
    settleMs: opening.settleMs,
  }
  let answered = Date.now()
  return {
    name: wire.name,
    supports,
    reader: (_workspace, people) => new WebReader(account, people),
    async write(_workspace, work, how = {}) {
      const writer = new WebWriter(account, how)
      try {
        return await work(writer)
      } finally {
        await writer.end()
      }
    },
    together: () => new Gathering(wire),
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
