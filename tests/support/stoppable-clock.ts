/** The time, which can be stopped and moved. It never goes back. */
export class StoppableClock {
  private aheadMs = 0
  private stoppedAt: number | undefined

  readonly now = (): number => this.stoppedAt ?? Date.now() + this.aheadMs

  stop(): void {
    this.stoppedAt = this.now()
  }

  move(ms: number): void {
    if (this.stoppedAt === undefined) this.aheadMs += ms
    else this.stoppedAt += ms
  }

  resume(): void {
    if (this.stoppedAt === undefined) return
    this.aheadMs = this.stoppedAt - Date.now()
    this.stoppedAt = undefined
  }
}
