import { setTimeout as sleep } from 'node:timers/promises'

/** Records remembered at most. */
const MOST = 100_000
/** The longest wait for other creates that are under way. */
const LONGEST_MS = 5_000

/** A call: what all attempts with its idempotency key share, or what is unique to it. */
export type Claimant = string | symbol

/**
 * Which call has created which record, as far as this process knows. When two calls send the same at the same time and the answer to one of
 * them is lost, this keeps it from taking the other's record for its own.
 */
export class CreatedRecords {
  private readonly claims = new Map<string, Claimant>()
  private readonly guesses = new Map<string, string>()
  private readonly underWay = new Map<string, Set<Promise<unknown>>>()

  /** Whether the record is another call's. */
  isClaimed(id: string, by: Claimant): boolean {
    return this.claims.has(id) && this.claims.get(id) !== by
  }

  /** Notes that a call has created a record; false where the record is another call's already. */
  claim(id: string, by: Claimant): boolean {
    if (this.isClaimed(id, by)) return false
    setBounded(this.claims, id, by)
    return true
  }

  /**
   * Notes that a call took a record for its own because it has the values sent. Where another call sent the same, was executed, and finds no
   * record that is free, this one is its record, and that call has to be sent again.
   */
  noteGuess(values: string, created: string): void {
    setBounded(this.guesses, values, created)
  }

  /** Whether a record with these values, created since then, was taken by a guess. */
  wasGuessed(values: string, since: string): boolean {
    return (this.guesses.get(values) ?? '') >= since
  }

  forgetGuess(values: string): void {
    this.guesses.delete(values)
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

function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MOST && oldest !== undefined) map.delete(oldest)
}
