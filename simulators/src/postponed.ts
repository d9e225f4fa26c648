import type { WireRequest } from './simulated.ts'

/** Writes whose connection was dropped and that are done later, by the simulator's clock. */
export class Postponed {
  private readonly now: () => number
  private readonly perform: (request: WireRequest) => unknown
  private waiting: { readonly due: number; readonly request: WireRequest }[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(now: () => number, perform: (request: WireRequest) => unknown) {
    this.now = now
    this.perform = perform
  }

  add(request: WireRequest, ms: number): void {
    this.waiting = [...this.waiting, { due: this.now() + ms, request }].sort((one, other) => one.due - other.due)
    this.schedule()
  }

  /** Does what is due by now, in the order in which it is due. */
  async performDue(): Promise<void> {
    for (let [next] = this.waiting; next && next.due <= this.now(); [next] = this.waiting) {
      this.waiting.shift()
      await this.perform(next.request)
    }
    this.schedule()
  }

  clear(): void {
    this.waiting = []
    this.schedule()
  }

  private schedule(): void {
    clearTimeout(this.timer)
    const [next] = this.waiting
    if (next) this.timer = setTimeout(() => void this.performDue(), next.due - this.now())
  }
}
