/** A request without an answer is reported as slow after this time, and not given up yet. */
const SLOW_MS = 3_000

/** How long a CRM usually may take to begin its answer to a read. */
const ANSWER_MS = 10_000

/**
 * The same for a timeout: a third of a longer one, all of a shorter one. So a CRM that accepts connections and never answers is noticed long before a large answer would be given
 * up. A write that is given up has an unknown outcome, and so has the whole timeout.
 */
export const answerMs = (timeoutMs: number): number => Math.min(timeoutMs, Math.max(ANSWER_MS, timeoutMs / 3))

/** Aborts a request that takes too long. */
export class Deadline {
  private readonly controller = new AbortController()
  private readonly began = Date.now()
  private timer: NodeJS.Timeout | undefined
  private slow: NodeJS.Timeout | undefined
  private ms: number

  constructor(ms: number, onSlow: (ms: number) => void) {
    this.ms = ms
    this.timer = setTimeout(this.abort, ms)
    if (ms > SLOW_MS) this.slow = setTimeout(() => onSlow(SLOW_MS), SLOW_MS)
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** The milliseconds after which the request was given up. */
  get passedMs(): number {
    return this.ms
  }

  /** Called when the answer begins: so many milliseconds after the request it has to be complete. */
  answered(ms: number): void {
    this.clear()
    this.ms = ms
    this.timer = setTimeout(this.abort, this.began + ms - Date.now())
  }

  clear(): void {
    clearTimeout(this.timer)
    clearTimeout(this.slow)
  }

  private readonly abort = () => this.controller.abort(new DOMException('The request took too long.', 'TimeoutError'))
}
