/** What is done later, by the simulator's clock. */
export class Postponed {
  private readonly now: () => number
  private waiting: { readonly due: number; readonly task: () => unknown }[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(now: () => number) {
    this.now = now
  }

  add(task: () => unknown, ms: number): void {
    this.waiting = [...this.waiting, { due: this.now() + ms, task }].sort((one, other) => one.due - other.due)
    this.schedule()
  }

  /** Does what is due by now, in the order in which it is due. */
  async performDue(): Promise<void> {
    for (let [next] = this.waiting; next && next.due <= this.now(); [next] = this.waiting) {
      this.waiting.shift()
      await next.task()
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
