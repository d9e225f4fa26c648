import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredRecord } from '../../platform.ts'

/** So many records that calls have made are remembered. */
const MOST = 100_000
/** Nobody is waited for longer than this. */
const LONGEST_MS = 5_000

/**
 * Which call has made which record, as far as this process knows. Where two calls send the same at the same time and nobody hears how one of
 * them ended, this is what keeps it from taking the other's record for its own.
 */
export class CreatedRecords {
  private readonly made = new Set<string>()
  private readonly underWay = new Map<string, Set<Promise<unknown>>>()
  private readonly unread = new Map<string, string[]>()
  private readonly carriedOut = new Set<string>()

  /** Whether some call has made a record, or is known to be about to say so. */
  has(id: string): boolean {
    return this.made.has(id)
  }

  /** Notes that a call has made a record; false where another has. */
  claim(id: string): boolean {
    if (this.made.has(id)) return false
    this.made.add(id)
    const [oldest] = this.made
    if (this.made.size > MOST && oldest !== undefined) this.made.delete(oldest)
    return true
  }

  /** Sends something, which others who have sent its kin and wonder wait for. */
  async sending<T>(kinship: string, send: () => Promise<T>): Promise<T> {
    const sent = send()
    const others = this.underWay.get(kinship) ?? new Set()
    this.underWay.set(kinship, others.add(sent))
    try {
      return await sent
    } finally {
      others.delete(sent)
      if (others.size === 0) this.underWay.delete(kinship)
    }
  }

  /** Waits until nobody is sending its kin, so that what they have made is known to be theirs. */
  async quiet(kinship: string): Promise<void> {
    const others = [...(this.underWay.get(kinship) ?? [])]
    if (others.length > 0) await Promise.race([Promise.allSettled(others), sleep(LONGEST_MS, undefined, { ref: false })])
  }

  /** Notes that the CRM has carried out such a call, whatever there is to be seen of it. */
  done(likeness: string): void {
    this.carriedOut.add(likeness)
    const [oldest] = this.carriedOut
    if (this.carriedOut.size > MOST && oldest !== undefined) this.carriedOut.delete(oldest)
  }

  /** Notes that what has come of it is known by now. */
  told(likeness: string): void {
    this.carriedOut.delete(likeness)
  }

  isDone(likeness: string): boolean {
    return this.carriedOut.has(likeness)
  }

  /** Keeps a record for whoever made it and could not read it. */
  keep(likeness: string, id: string): void {
    this.unread.set(likeness, [...(this.unread.get(likeness) ?? []), id])
  }

  /** A record that was made by such a call and not read, if there is one. Nobody else gets it. */
  taken(likeness: string): string | undefined {
    const [id, ...rest] = this.unread.get(likeness) ?? []
    if (rest.length > 0) this.unread.set(likeness, rest)
    else this.unread.delete(likeness)
    return id
  }
}

/** What two calls have in common that cannot be told apart by what they send. */
export function likenessOf(type: string, sent: StoredRecord): string {
  return createHash('sha256')
    .update(JSON.stringify([type, sent]))
    .digest('base64url')
}
