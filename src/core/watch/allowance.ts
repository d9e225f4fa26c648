import { setTimeout as sleep } from 'node:timers/promises'

const DAY_MS = 86_400_000

/** Requests may be saved up for so long, for what takes many at once. */
const SAVED_MS = 3_600_000

/** How many requests to an account were left at a moment, in milliseconds since 1970. */
export interface Left {
  readonly left: number
  readonly at: number
}

/** The requests that the watch of an account may send, so many a day and spent evenly: a token bucket that holds those of an hour. After a restart it goes on with what was left. */
export class Allowance {
  /** All that were sent. */
  spent = 0
  /** Since when requests have to wait, in milliseconds since 1970, until half of those of an hour are saved up again. */
  exhaustedSince: number | undefined
  private reported = 0
  /** Those that were waited for and are not sent yet. */
  private taken = 0
  private perMs: number
  private readonly most: number
  private readonly recall: (account: string) => Promise<Left | undefined>
  private bucket: number
  private account: string | undefined
  private recalling: Promise<void> | undefined
  private at = performance.now()

  constructor(perDay: number, recall: (account: string) => Promise<Left | undefined> = async () => undefined) {
    this.perMs = perDay / DAY_MS
    this.most = Math.max(1, this.perMs * SAVED_MS)
    this.bucket = this.most
    this.recall = recall
  }

  /** How many are left; undefined where that was not read yet. */
  get left(): Left | undefined {
    return this.account === undefined || this.recalling ? undefined : { left: this.saved(), at: Date.now() }
  }

  /** Sets how many there are a day from now on. As many as before may be saved up. */
  limitTo(perDay: number): void {
    if (perDay / DAY_MS === this.perMs) return
    this.bucket = this.saved()
    this.perMs = perDay / DAY_MS
    this.at = performance.now()
  }

  /** Has what is left read anew: another process may have sent requests meanwhile. */
  forget(): void {
    this.account = undefined
  }

  /** Those that were sent since they were last taken. */
  get unreported(): number {
    return this.spent - this.reported
  }

  takeUnreported(): number {
    const requests = this.unreported
    this.reported = this.spent
    return requests
  }

  /** Resolves once another request may be sent to an account. Another one than before has its requests to itself. */
  async take(signal: AbortSignal, account: string): Promise<void> {
    if (account !== this.account) {
      this.account = account
      this.taken = 0
      this.recalling = this.begin(account)
    }
    await this.recalling
    const saved = this.saved()
    const left = saved - 1
    this.bucket = left
    this.at = performance.now()
    if (left < 0) this.exhaustedSince ??= Date.now()
    else if (saved >= this.most / 2) this.exhaustedSince = undefined
    if (left < 0) await sleep(-left / this.perMs, undefined, { signal, ref: false })
    this.taken++
  }

  /** Counts a request that was sent. One that was not waited for, since a reading takes several, has the next ones wait longer. */
  noteSent(): void {
    this.spent++
    if (this.taken > 0) {
      this.taken--
      return
    }
    this.bucket = this.saved() - 1
    this.at = performance.now()
  }

  private saved(): number {
    return Math.min(this.most, this.bucket + (performance.now() - this.at) * this.perMs)
  }

  private async begin(account: string): Promise<void> {
    const known = await this.recall(account).catch((error: unknown) => {
      this.account = undefined
      throw error
    })
    this.recalling = undefined
    this.bucket = known ? known.left + Math.max(0, Date.now() - known.at) * this.perMs : this.most
    this.at = performance.now()
  }
}
