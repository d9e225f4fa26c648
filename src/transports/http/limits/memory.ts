import type { ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import { CrmError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { HungUp, shareOf } from '../../../core/call/budget.ts'
import type { Caller, Deadline } from '../../../core/service.ts'
import { FairQueue } from '../../../helpers/fair-queue.ts'

/** What has fewer bytes than this is not counted and never waits. */
export const SMALL_BYTES = 65_536

/** How much memory a body or a page takes while it is worked on, for each of its bytes: measured with batches of 16 MB in a small heap. */
export const WORKING = 4
/** As how many bytes of a body a value counts: one of two bytes takes many times as much once it is parsed. */
const VALUE_BYTES = 24
/** The same for an answer: its text, and what the connection has not sent yet. */
const ANSWERED = 2

/** How many bytes a body counts for; by default with as many values as it can hold. */
export const parsedBytes = (length: number, values = Math.min(length / 2, LIMITS.values)) => length + VALUE_BYTES * values

/** How long a call waits for memory. Well below the time in which a request has to arrive, since its body is not read meanwhile. */
const WAIT_MS = 10_000

const MEGABYTE = 1_048_576
/** Less would not hold a page. */
const LEAST_BYTES = 32 * MEGABYTE

/** Half of what the process may have: the other half is for everything else. */
export function defaultMemory(processes = 1): number {
  const available = Math.min(getHeapStatistics().heap_size_limit, (process.constrainedMemory() || Number.POSITIVE_INFINITY) / processes)
  return Math.max(LEAST_BYTES, Math.floor(available / 2))
}

interface Waiting {
  readonly bytes: number
  grant(): void
}

/**
 * The memory that large calls of this process may use together: for bodies that are read, pages and batches that are made, and answers that
 * are not sent yet. A call for which there is none waits its turn between keys. One key has at most half of what the others leave, unless with a single call, so that there is always some left.
 */
export class Memory {
  private readonly waiting = new FairQueue<Waiting>()
  private readonly byShare = new Map<string, number>()
  private used = 0
  readonly most: number

  constructor(most = defaultMemory()) {
    this.most = most
  }

  /** Reserves memory for a request; what it has is given back when the response is sent or the caller hangs up. */
  reserve(caller: Caller, raw: ServerResponse): Reservation {
    return new Reservation(this, shareOf(caller), raw)
  }

  metrics(): string {
    return [
      '',
      '# HELP crm_memory_bytes Memory that large calls have reserved.',
      '# TYPE crm_memory_bytes gauge',
      `crm_memory_bytes ${this.used}`,
      '',
      '# HELP crm_memory_limit_bytes Memory that large calls may reserve together.',
      '# TYPE crm_memory_limit_bytes gauge',
      `crm_memory_limit_bytes ${this.most}`,
      '',
      '# HELP crm_memory_waiting Large calls that wait for memory.',
      '# TYPE crm_memory_waiting gauge',
      `crm_memory_waiting ${this.waiting.length}`,
      '',
    ].join('\n')
  }

  enqueue(share: string, one: Waiting): void {
    this.waiting.push(share, one)
    this.grantNext()
  }

  withdraw(share: string, one: Waiting): void {
    this.waiting.remove(share, one)
    this.grantNext()
  }

  /** Whether a share may have so many bytes more; of what it has, a single call has `own`. */
  fits(share: string, bytes: number, own: number): boolean {
    return this.used + bytes <= this.most && this.isFair(share, bytes, own)
  }

  /** Adds to what a share has, or takes away from it. */
  add(share: string, bytes: number): void {
    this.used += bytes
    const now = (this.byShare.get(share) ?? 0) + bytes
    if (now === 0) this.byShare.delete(share)
    else this.byShare.set(share, now)
    if (bytes < 0) this.grantNext()
  }

  private isFair(share: string, bytes: number, own: number): boolean {
    const has = this.byShare.get(share) ?? 0
    const free = this.most - (this.used - has)
    return has === own || has + bytes <= free / 2
  }

  /** In turn. A call that needs much is not overtaken by others, since it would never get it otherwise. */
  private grantNext(): void {
    for (const [share, { bytes, grant }] of this.waiting.nexts()) {
      if (!this.isFair(share, bytes, 0)) continue
      if (this.used + bytes > this.most) return
      this.waiting.shift(share)
      this.add(share, bytes)
      grant()
    }
  }

  refusal(share: string, bytes: number): CrmError {
    const [used, most, own, needed] = [this.used, this.most, this.byShare.get(share) ?? 0, bytes].map(shown)
    const message = `Large calls use ${used} of the ${most} of memory they may have together, ${own} of it with this key, and this one needs about ${needed}.`
    const hint = this.byShare.has(share)
      ? 'Send fewer large calls at a time, or less in one of them.'
      : 'Others use it at the moment. Try again, or ask for less.'
    return new CrmError('rate_limited', message, { retryAfter: 1, hint })
  }
}

/** The memory of one request. */
export class Reservation {
  private readonly memory: Memory
  private readonly share: string
  private readonly raw: ServerResponse
  private bytes = 0
  private cancel: ((error: CrmError) => void) | undefined

  constructor(memory: Memory, share: string, raw: ServerResponse) {
    this.memory = memory
    this.share = share
    this.raw = raw
    raw.once('close', () => {
      this.cancel?.(new HungUp())
      this.free()
    })
  }

  /** Waits until there is memory to work on so many bytes, at most until the deadline. Gives back what it had, which others may wait for. */
  async take(bytes: number, deadline?: Deadline): Promise<void> {
    const { memory, share } = this
    const needed = this.needed(bytes)
    this.free()
    if (this.raw.destroyed) throw new HungUp()
    const waitMs = Math.min(WAIT_MS, (deadline?.at ?? Number.POSITIVE_INFINITY) - performance.now())
    await new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        bytes: needed,
        grant: () => {
          clearTimeout(timer)
          this.cancel = undefined
          this.bytes = needed
          resolve()
        },
      }
      const timer = setTimeout(() => this.cancel?.(memory.refusal(share, needed)), waitMs)
      this.cancel = (error) => {
        clearTimeout(timer)
        this.cancel = undefined
        memory.withdraw(share, one)
        reject(error)
      }
      memory.enqueue(share, one)
    })
  }

  /** Works on so many bytes from now on. Refuses where that is more than before and there is no memory for it: what it has, others may wait for. */
  workOn(bytes: number): void {
    this.resize(this.needed(bytes), false)
  }

  /** Has only the answer left to send. That of a write is sent in any case. */
  answer(bytes: number, written: boolean): void {
    this.resize(bytes < SMALL_BYTES ? 0 : ANSWERED * bytes, written)
  }

  free(): void {
    this.resize(0, true)
  }

  /** The memory to work on so many bytes. Refuses where there would never be as much. */
  private needed(bytes: number): number {
    const needed = WORKING * bytes
    if (needed > this.memory.most) throw tooLarge(needed, this.memory.most)
    return needed
  }

  private resize(bytes: number, always: boolean): void {
    const more = bytes - this.bytes
    if (more > 0 && this.raw.destroyed) return
    if (more > 0 && !always && !this.memory.fits(this.share, more, this.bytes)) throw this.memory.refusal(this.share, bytes)
    this.bytes = bytes
    this.memory.add(this.share, more)
  }
}

const tooLarge = (bytes: number, most: number) =>
  new CrmError('too_large', `This call needs about ${shown(bytes)} of memory, and calls of this service may have ${shown(most)} together.`, {
    hint: 'Send less in one call, or ask for more memory (CRM_MEMORY) from who runs the service.',
  })

const shown = (bytes: number) => `${Math.ceil(bytes / MEGABYTE).toLocaleString('en')} MB`
