/** Locks by name within this process. Callers get a lock in the order in which they asked for it. */
export class Locks {
  private readonly last = new Map<string, Promise<void>>()

  /** Waits until the lock is free, takes it, and resolves to the function that releases it. */
  async take(name = ''): Promise<() => void> {
    const before = this.last.get(name)
    let release = () => {}
    const mine = new Promise<void>((resolve) => {
      release = resolve
    })
    this.last.set(name, mine)
    await before
    return () => {
      if (this.last.get(name) === mine) this.last.delete(name)
      release()
    }
  }
}
