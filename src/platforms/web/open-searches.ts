import type { Query, StoredRecord } from '../platform.ts'

/** So many searches are kept open for whoever asks for the next page, and none longer than this. */
const MOST = 200
const KEPT_MS = 120_000

/** Records in the order of a search, with a look at the next one. */
export class Source {
  private readonly records: AsyncIterator<StoredRecord>
  private readonly peeked: StoredRecord[] = []
  /** Whether somebody reads on, so that the next page may be fetched before it is asked for. */
  readsOn = false

  constructor(open: (readsOn: () => boolean) => AsyncGenerator<StoredRecord>) {
    this.records = open(() => this.readsOn)
  }

  async take(limit: number): Promise<{ readonly records: StoredRecord[]; readonly more: boolean }> {
    const records: StoredRecord[] = []
    while (records.length < limit) {
      const next = await this.next()
      if (!next) return { records, more: false }
      records.push(next)
    }
    const next = await this.next()
    if (next) this.peeked.push(next)
    return { records, more: next !== undefined }
  }

  private async next(): Promise<StoredRecord | undefined> {
    const peeked = this.peeked.pop()
    if (peeked) return peeked
    const { value, done } = await this.records.next()
    return done ? undefined : value
  }

  close(): void {
    void this.records.return?.(undefined)
  }
}

/** Searches that wait to be read on, by what was asked and where the page before ended. */
export class OpenSearches {
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
