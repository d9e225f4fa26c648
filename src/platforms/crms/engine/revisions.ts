import type { StoredRecord } from '../../platform.ts'

/** The maximum of cached counts, for records that changed more than once within a tick of the CRM's clock. */
const MOST = 10_000

/**
 * Gives records a Revision where their CRM has none: the time of their last change in milliseconds. With timestamps in seconds two changes
 * within a second would get the same one, so changes through this process are counted.
 */
export class Revisions {
  private readonly counts = new Map<string, { readonly at: string; readonly count: number }>()

  /** The Revision of a record that was changed last at this moment. */
  of(type: string, id: string, at: string): number {
    const counted = this.counts.size === 0 ? undefined : this.counts.get(`${type} ${id}`)
    return Date.parse(at) + (counted?.at === at ? counted.count : 0)
  }

  /** Notes that a record has just been changed through us, and gives it the Revision after the one before. */
  after(type: string, id: string, before: StoredRecord, record: StoredRecord): StoredRecord {
    const at = record.UpdatedDate as string
    const count = (before.Revision as number) + 1 - Date.parse(at)
    if (count > 0) {
      const place = `${type} ${id}`
      this.counts.delete(place)
      this.counts.set(place, { at, count })
      const [oldest] = this.counts.keys()
      if (this.counts.size > MOST && oldest !== undefined) this.counts.delete(oldest)
    }
    return { ...record, Revision: this.of(type, id, at) }
  }
}
