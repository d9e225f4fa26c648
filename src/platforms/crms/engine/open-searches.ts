import type { Query, StoredRecord } from '../../platform.ts'
import type { RecordStream } from './record-stream.ts'

/** How many searches stay open for their next page, and for how long. */
const MOST = 200
const KEPT_MS = 120_000

interface Kept {
  readonly source: RecordStream
  readonly at: number
}

/** Searches that are being read, and those that stay open for their next page: of each caller, by query and end of the page before. */
export class OpenSearches {
  private readonly types = new Map<RecordStream, string>()
  private readonly callers = new Map<string, Map<string, Kept>>()

  /** Takes out the search that continues where this query begins, if it is still open. */
  take(caller: string, type: string, query: Query): RecordStream | undefined {
    const name = nameOf(type, query)
    const found = query.after && this.callers.get(caller)?.get(name)
    if (!found) return undefined
    this.remove(caller, name)
    if (found.at > Date.now() - KEPT_MS && !found.source.isOutdated) return found.source
    this.end(found.source)
    return undefined
  }

  /** Notes that a search is being read, so that writes are applied to it. */
  begin(type: string, source: RecordStream): void {
    this.types.set(source, type)
  }

  end(source: RecordStream): void {
    this.types.delete(source)
    source.close()
  }

  /** Applies a write to every search of its type. The record is undefined where it was deleted. */
  note(type: string, id: string, record: StoredRecord | undefined): void {
    for (const [source, searched] of this.types) if (searched === type) source.note(id, record)
  }

  /** Lets every search of a type begin anew after the page that it is at. */
  outdate(type: string): void {
    for (const [source, searched] of this.types) if (searched === type) source.outdate()
  }

  keep(caller: string, type: string, query: Query, source: RecordStream): void {
    const name = nameOf(type, query)
    this.evict(caller, name)
    this.callers.set(caller, (this.callers.get(caller) ?? new Map()).set(name, { source, at: Date.now() }))
    for (const [one, kept] of this.callers) for (const [old, { at }] of kept) if (at <= Date.now() - KEPT_MS) this.evict(one, old)
    while (this.size > MOST) this.evictOldestOfGreatest()
  }

  private get size(): number {
    let size = 0
    for (const kept of this.callers.values()) size += kept.size
    return size
  }

  /** The caller with the most open searches loses the oldest of them, so that one who opens many evicts only their own. */
  private evictOldestOfGreatest(): void {
    const all = [...this.callers].flatMap(([caller, kept]) => [...kept].slice(0, 1).map(([name, { at }]) => ({ caller, name, at, count: kept.size })))
    const [first] = all.sort((a, b) => b.count - a.count || a.at - b.at)
    if (first) this.evict(first.caller, first.name)
  }

  private evict(caller: string, name: string): void {
    const kept = this.callers.get(caller)?.get(name)
    if (!kept) return
    this.remove(caller, name)
    this.end(kept.source)
  }

  private remove(caller: string, name: string): void {
    const kept = this.callers.get(caller)
    kept?.delete(name)
    if (kept?.size === 0) this.callers.delete(caller)
  }
}

function nameOf(type: string, { owners, where, order, after, fields, on }: Query): string {
  return JSON.stringify([type, owners, where, order, after?.value, after?.id, fields, on])
}
