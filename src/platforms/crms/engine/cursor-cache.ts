import { LIMITS } from '../../../contract/limits.ts'
import type { Budget, Query, StoredRecord } from '../../platform.ts'
import { longBytes } from './page-bytes.ts'

/** How many searches stay open for their next page, and for how long. */
const MOST = 200
const KEPT_MS = 120_000

/** How a search is read at present; a search that stays open is read by one call after the other. */
export interface Reading {
  /** Whether the next page of the CRM is fetched ahead, because the caller is likely to read on. */
  readonly prefetches?: boolean
  readonly budget?: Budget | undefined
}

/** The records of a search in their order, read page by page. */
export class RecordStream implements Reading {
  private readonly pages: AsyncIterator<StoredRecord[]>
  private page: StoredRecord[] = []
  private taken = 0
  prefetches = false
  budget: Budget | undefined

  constructor(open: (reading: Reading) => AsyncGenerator<StoredRecord[]>) {
    this.pages = open(this)
  }

  /** The next records. A page of them ends before the record with which it would exceed its bytes, unless that is its first. */
  async take(limit: number): Promise<{ readonly records: StoredRecord[]; readonly more: boolean }> {
    const most = limit > LIMITS.page ? Number.POSITIVE_INFINITY : LIMITS.pageBytes
    const records: StoredRecord[] = []
    let bytes = 0
    while (records.length < limit && (await this.hasMore())) {
      for (const record of this.page.slice(this.taken, this.taken + limit - records.length)) {
        bytes += longBytes(record)
        if (bytes > most && records.length > 0) return { records, more: true }
        records.push(record)
        this.taken += 1
      }
    }
    return { records, more: await this.hasMore() }
  }

  private async hasMore(): Promise<boolean> {
    while (this.taken === this.page.length) {
      const { value, done } = await this.pages.next()
      if (done) return false
      this.page = value
      this.taken = 0
    }
    return true
  }

  close(): void {
    void this.pages.return?.(undefined)
  }
}

/** Searches that stay open for their next page, by query and end of the page before. */
export class CursorCache {
  private readonly open = new Map<string, { readonly source: RecordStream; readonly at: number }>()

  /** Takes out the search that continues where this query begins, if it is still open. */
  take(type: string, query: Query): RecordStream | undefined {
    if (!query.after) return undefined
    const name = nameOf(type, query)
    const found = this.open.get(name)
    this.open.delete(name)
    if (!found) return undefined
    if (found.at > Date.now() - KEPT_MS) return found.source
    found.source.close()
    return undefined
  }

  keep(type: string, query: Query, source: RecordStream): void {
    this.open.set(nameOf(type, query), { source, at: Date.now() })
    for (const [name, { source: old, at }] of this.open) {
      if (this.open.size <= MOST && at > Date.now() - KEPT_MS) break
      old.close()
      this.open.delete(name)
    }
  }
}

function nameOf(type: string, { owners, where, order, after, fields, on }: Query): string {
  return JSON.stringify([type, owners, where, order, after?.value, after?.id, fields, on])
}
