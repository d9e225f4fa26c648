/** How long work may hold up the event loop before others have their turn. */
const TURN_MS = 2

/** Splits long work into turns: between its steps, `pause` lets other work run once a turn is over. */
export class Turns {
  private ends = performance.now() + TURN_MS

  /** Undefined as long as the turn is not over: work of many small steps need not await that. */
  pause(): Promise<void> | undefined {
    return performance.now() < this.ends ? undefined : this.next()
  }

  private async next(): Promise<void> {
    await new Promise(setImmediate)
    this.ends = performance.now() + TURN_MS
  }
}
