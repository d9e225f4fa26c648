/** How long work may hold up the event loop before others have their turn. */
const TURN_MS = 2

/** Splits long work into turns: between its steps, `pause` lets other work run once a turn is over. */
export class Turns {
  private ends = performance.now() + TURN_MS

  async pause(): Promise<void> {
    if (performance.now() < this.ends) return
    await new Promise(setImmediate)
    this.ends = performance.now() + TURN_MS
  }
}
