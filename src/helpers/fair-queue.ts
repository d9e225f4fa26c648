/**
 * A queue in which those who wait take turns. A share is named `group/rest`, or is a group of its own: between any two items of a group comes
 * one of each other group, and between any two of a share one of each other share of its group. Those of one share come out in order.
 */
export class FairQueue<T> {
  /** The groups in the order of their turns, and the shares of each in that of theirs. */
  private readonly groups = new Map<string, Map<string, T[]>>()
  private waiting = 0

  get length(): number {
    return this.waiting
  }

  /** How many items of a share wait. */
  of(share: string): number {
    return this.groups.get(groupOf(share))?.get(share)?.length ?? 0
  }

  push(share: string, item: T): void {
    const group = groupOf(share)
    const shares = this.groups.get(group) ?? new Map<string, T[]>()
    const items = shares.get(share)
    if (items) items.push(item)
    else shares.set(share, [item])
    this.groups.set(group, shares)
    this.waiting++
  }

  /** The next item, of the share whose turn it is or of another one. */
  shift(share = this.groups.values().next().value?.keys().next().value ?? ''): T | undefined {
    const group = groupOf(share)
    const shares = this.groups.get(group)
    const items = shares?.get(share)
    if (!shares || !items) return undefined
    const item = items.shift()
    this.waiting--
    if (items.length > 0 && this.groups.size === 1 && shares.size === 1) return item
    this.groups.delete(group)
    shares.delete(share)
    if (items.length > 0) shares.set(share, items)
    if (shares.size > 0) this.groups.set(group, shares)
    return item
  }

  /** The next item of each share, in the order of their turns. A group from which one is taken meanwhile comes again at the end. */
  *nexts(): Generator<readonly [share: string, item: T]> {
    for (const shares of this.groups.values()) {
      for (const [share, [next]] of shares) {
        const { waiting } = this
        if (next !== undefined) yield [share, next]
        if (this.waiting !== waiting) break
      }
    }
  }

  /** Takes out an item that is no longer wanted. */
  remove(share: string, item: T): void {
    const shares = this.groups.get(groupOf(share))
    const items = shares?.get(share)
    const at = items?.indexOf(item) ?? -1
    if (!shares || !items || at < 0) return
    items.splice(at, 1)
    if (items.length === 0) shares.delete(share)
    if (shares.size === 0) this.groups.delete(groupOf(share))
    this.waiting--
  }
}

function groupOf(share: string): string {
  const end = share.indexOf('/')
  return end < 0 ? share : share.slice(0, end)
}
