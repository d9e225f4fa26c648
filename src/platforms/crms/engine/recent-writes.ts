import type { StoredRecord } from '../../platform.ts'

/** So many writes are remembered at most, and none longer than this beyond the time that searches lag behind. */
const MOST = 10_000
const MARGIN_MS = 60_000

interface Written {
  readonly at: number
  /** Undefined where it was deleted. */
  readonly record: StoredRecord | undefined
  /** The type of its parent, or its custom object, which searches are limited to. */
  readonly object: string | undefined
}

/** What was written through us so recently that the CRM's searches may not know it yet. */
export class RecentWrites {
  private readonly types = new Map<string, Map<string, Written>>()
  private readonly lagMs: number

  constructor(lagMs: number) {
    this.lagMs = lagMs
  }

  note(type: string, id: string, record: StoredRecord | undefined, object?: string): void {
    if (this.lagMs === 0) return
    const written = this.types.get(type) ?? new Map<string, Written>()
    this.types.set(type, written)
    written.delete(id)
    written.set(id, { at: Date.now(), record, object })
    for (const [old, { at }] of written) {
      if (written.size <= MOST && at > Date.now() - this.lagMs - MARGIN_MS) break
      written.delete(old)
    }
  }

  /** Notes what a record is by now, where it is one of those. */
  refresh(type: string, id: string, record: StoredRecord): void {
    const written = this.types.get(type)?.get(id)
    if (written) this.types.get(type)?.set(id, { ...written, record })
  }

  /** The records of a type that were written, by id; undefined for those that were deleted. */
  of(type: string, object?: string): ReadonlyMap<string, StoredRecord | undefined> {
    const written = [...(this.types.get(type) ?? [])].filter(([, one]) => one.at > Date.now() - this.lagMs - MARGIN_MS && one.object === object)
    return new Map(written.map(([id, { record }]) => [id, record]))
  }
}
