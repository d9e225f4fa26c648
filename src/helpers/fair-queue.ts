/** A queue in which those who wait take turns: the items of one share come out in order, and between any two of them one of each other share. */
export class FairQueue<T> {
  /** In the order of their turns. */
  private readonly shares = new Map<string, T[]>()
  private waiting = 0

  get length(): number {
    return this.waiting
  }

  /** How many items of a share wait. */
  of(share: string): number {
    return this.shares.get(share)?.length ?? 0
  }

  push(share: string, item: T): void {
    const items = this.shares.get(share)
    if (items) items.push(item)
    else this.shares.set(share, [item])
    this.waiting++
  }

  /** The next item, of the share whose turn it is or of another one. */
  shift(share = this.shares.keys().next().value ?? ''): T | undefined {
    const items = this.shares.get(share)
    if (!items) return undefined
    this.shares.delete(share)
    const item = items.shift()
    if (items.length > 0) this.shares.set(share, items)
    this.waiting--
    return item
  }

  /** The next item of each share, in the order of their turns. A share from which one is taken meanwhile comes again at the end. */
  *nexts(): Generator<readonly [share: string, item: T]> {
    for (const [share, [next]] of this.shares) if (next !== undefined) yield [share, next]
  }

  /** Takes out an item that is no longer wanted. */
  remove(share: string, item: T): void {
    const items = this.shares.get(share)
    const at = items?.indexOf(item) ?? -1
    if (!items || at < 0) return
    items.splice(at, 1)
    if (items.length === 0) this.shares.delete(share)
    this.waiting--
  }
}
