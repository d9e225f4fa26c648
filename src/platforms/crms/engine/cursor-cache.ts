import type { Query, StoredRecord } from '../../platform.ts'

/** So many searches are kept open for whoever asks for the next page, and none longer than this. */
const MOST = 200
const KEPT_MS = 120_000

/** Records in the order of a search, of which some have come and are not taken yet. */
export class Source {
  private readonly pages: AsyncIterator<StoredRecord[]>
  private come: StoredRecord[] = []
  private taken = 0
  /** Whether somebody reads on, so that the next page may be fetched before it is asked for. */
  readsOn = false

  constructor(open: (readsOn: () => boolean) => AsyncGenerator<StoredRecord[]>) {
    this.pages = open(() => this.readsOn)
  }

  async take(limit: number): Promise<{ readonly records: StoredRecord[]; readonly more: boolean }> {
    const records: StoredRecord[] = []
    while (records.length < limit && (await this.hasMore())) {
      const some = this.come.slice(this.taken, this.taken + limit - records.length)
      this.taken += some.length
      records.push(...some)
    }
    return { records, more: await this.hasMore() }
  }

  private async hasMore(): Promise<boolean> {
    while (this.taken === this.come.length) {
      const { value, done } = await this.pages.next()
      if (done) return false
      this.come = value
      this.taken = 0
    }
    return true
  }

  close(): void {
    void this.pages.return?.(undefined)
  }
}

/** Searches that wait to be read on, by what was asked and where the page before ended. */
export class CursorCache {
  private readonly open = new Map<string, { readonly source: Source; readonly at: number }>()

  /** The search that goes on where this query begins, if it is still open. Nobody else gets it. */
  take(type: string, query: Query): Source | undefined {
    if (!query.after) return undefined
    const name = nameOf(type, query)
    const found = this.open.get(name)
    this.open.delete(name)
    if (!found) return undefined
    if (found.at > Date.now() - KEPT_MS) return found.source
    found.source.close()
    return undefined
  }

  keep(type: string, query: Query, source: Source): void {
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
