import { FairQueue } from './fair-queue.ts'

/**
 * Lets those who wait go on one at a time, each in a turn of the event loop of its own: with a `setImmediate` each, all of them would go on
 * in the same turn, one after the other, before anything else. Those who share take turns.
 */
export class SingleTurns {
  private readonly waiting = new FairQueue<() => void>()

  wait(share: string): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(share, resolve)
      if (this.waiting.length === 1) setImmediate(this.next)
    })
  }

  private readonly next = () => {
    this.waiting.shift()?.()
    if (this.waiting.length > 0) setImmediate(this.next)
  }
}
