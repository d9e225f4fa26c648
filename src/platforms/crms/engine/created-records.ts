import { setTimeout as sleep } from 'node:timers/promises'

/** Ids remembered at most. */
const MOST = 100_000
/** The longest wait for other creates that are under way. */
const LONGEST_MS = 5_000

/**
 * Which call has created which record, as far as this process knows. When two calls send the same at the same time and the answer to one of
 * them is lost, this keeps it from taking the other's record for its own.
 */
export class CreatedRecords {
  private readonly claimed = new Set<string>()
  private readonly underWay = new Map<string, Set<Promise<unknown>>>()

  isClaimed(id: string): boolean {
    return this.claimed.has(id)
  }

  /** Notes that a call has created a record; false where the record is another call's already. */
  claim(id: string): boolean {
    if (this.claimed.has(id)) return false
    addBounded(this.claimed, id)
    return true
  }

  /** Sends a create. Calls that reconcile a create with the same name key wait for it in `waitForSends`. */
  async whileSending<T>(nameKey: string, send: () => Promise<T>): Promise<T> {
    const sent = send()
    const others = this.underWay.get(nameKey) ?? new Set()
    this.underWay.set(nameKey, others.add(sent))
    try {
      return await sent
    } finally {
      others.delete(sent)
      if (others.size === 0) this.underWay.delete(nameKey)
    }
  }

  /** Waits until no create with this name key is under way, so that what those have created is claimed. */
  async waitForSends(nameKey: string): Promise<void> {
    const others = [...(this.underWay.get(nameKey) ?? [])]
    if (others.length > 0) await Promise.race([Promise.allSettled(others), sleep(LONGEST_MS, undefined, { ref: false })])
  }
}

function addBounded(set: Set<string>, value: string): void {
  set.add(value)
  const [oldest] = set
  if (set.size > MOST && oldest !== undefined) set.delete(oldest)
}
