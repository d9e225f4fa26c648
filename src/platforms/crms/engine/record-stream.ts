import { LIMITS } from '../../../contract/limits.ts'
import type { Budget, StoredRecord } from '../../platform.ts'
import { longBytes } from './page-bytes.ts'

/** With more own writes than this, a search is better begun anew. */
const MOST_WRITTEN = 1_000

/** How a search is read at present; a search that stays open is read by one call after the other. */
export interface Reading {
  /** Whether the next page of the CRM is fetched ahead, because the caller is likely to read on. */
  readonly prefetches?: boolean
  readonly budget?: Budget | undefined
}

/** What a search is for. */
export interface Wanted {
  /** The name of the id field. */
  readonly id: string
  sorts(a: StoredRecord, b: StoredRecord): number
  matches(record: StoredRecord): boolean
}

/**
 * The records of a search in their order, read page by page. What is written through us while the search is open is applied to it: pages that
 * were read before show it too.
 */
export class RecordStream implements Reading {
  private readonly wanted: Wanted
  private readonly pages: AsyncIterator<StoredRecord[]>
  private page: StoredRecord[] = []
  private taken = 0
  /** The last record that was taken. */
  private last: StoredRecord | undefined
  /** By id; undefined where it was deleted. */
  private readonly written = new Map<string, StoredRecord | undefined>()
  /** Those of them that are still to come, in order; undefined until they are looked at, since there may be many writes before. */
  private coming: StoredRecord[] | undefined
  private changed = false
  prefetches = false
  budget: Budget | undefined

  constructor(wanted: Wanted, open: (reading: Reading) => AsyncGenerator<StoredRecord[]>) {
    this.wanted = wanted
    this.pages = open(this)
  }

  /** Applies a write. The record is undefined where it was deleted. */
  note(id: string, record: StoredRecord | undefined): void {
    this.written.set(id, record)
    this.coming = undefined
  }

  /** Whether it is better begun anew than read on. */
  get isOutdated(): boolean {
    return this.changed || this.written.size > MOST_WRITTEN
  }

  outdate(): void {
    this.changed = true
  }

  /** The next records. A page of them ends before the record with which it would exceed its bytes, unless that is its first. */
  async take(limit: number): Promise<{ readonly records: StoredRecord[]; readonly more: boolean }> {
    const most = limit > LIMITS.page ? Number.POSITIVE_INFINITY : LIMITS.pageBytes
    const records: StoredRecord[] = []
    let bytes = 0
    for (;;) {
      // Without waiting while there are rows: pages have thousands.
      const next = this.written.size === 0 && this.taken < this.page.length ? this.page[this.taken] : await this.next()
      if (!next || records.length === limit) return { records, more: next !== undefined }
      bytes += longBytes(next)
      if (bytes > most && records.length > 0) return { records, more: true }
      records.push(next)
      this.last = next
      if (next === this.page[this.taken]) this.taken++
      else this.coming = this.coming?.filter((one) => one !== next)
    }
  }

  /** The next record, which is not taken by this. */
  private async next(): Promise<StoredRecord | undefined> {
    while (await this.hasRow()) {
      const row = this.page[this.taken] as StoredRecord
      if (this.written.size > 0 && this.isSuperseded(row)) this.taken++
      else {
        const [own] = this.upcoming()
        return own && this.wanted.sorts(own, row) < 0 ? own : row
      }
    }
    return this.upcoming()[0]
  }

  private upcoming(): readonly StoredRecord[] {
    const { sorts, matches } = this.wanted
    this.coming ??= [...this.written.values()].filter((one): one is StoredRecord => one !== undefined && matches(one) && this.isAhead(one)).sort(sorts)
    return this.coming
  }

  private async hasRow(): Promise<boolean> {
    while (this.taken === this.page.length) {
      const { value, done } = await this.pages.next()
      if (done) return false
      this.page = value
      this.taken = 0
    }
    return true
  }

  /** Whether a row is older than what was written since; what others have changed after that is newer. */
  private isSuperseded(row: StoredRecord): boolean {
    const id = row[this.wanted.id] as string
    if (!this.written.has(id)) return false
    const record = this.written.get(id)
    if (!record || (row.UpdatedDate ?? '') <= (record.UpdatedDate ?? '')) return true
    this.written.delete(id)
    this.coming = this.coming?.filter((one) => one !== record)
    return false
  }

  private isAhead(record: StoredRecord): boolean {
    return !this.last || this.wanted.sorts(record, this.last) > 0
  }

  close(): void {
    void this.pages.return?.(undefined)
  }
}
