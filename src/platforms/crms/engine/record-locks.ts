/** Lets those who want the same take turns. */
export class RecordLocks {
  private readonly last = new Map<string, Promise<void>>()

  /** Waits for whoever came before, and resolves to what ends one's own turn. */
  async take(name: string): Promise<() => void> {
    const before = this.last.get(name)
    let end = () => {}
    const mine = new Promise<void>((resolve) => {
      end = resolve
    })
    this.last.set(name, mine)
    await before
    return () => {
      if (this.last.get(name) === mine) this.last.delete(name)
      end()
    }
  }
}
