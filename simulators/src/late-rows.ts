interface Earlier<Row> {
  readonly row: Row | undefined
  /** When the version after this one shows, in milliseconds. */
  readonly until: number
}

/** The earlier versions of records whose later ones lists and queries do not show yet, for the fault `late-rows`. */
export class LateRows<Row> {
  private readonly earlier = new Map<string, readonly Earlier<Row>[]>()

  /** Whether all records show as they are. */
  get isEmpty(): boolean {
    return this.earlier.size === 0
  }

  /**
   * Called on each write with the version before it, which is undefined for a new record. Without `until` the write shows at once, and with it all
   * before. Returns a function that takes the write back.
   */
  write(id: string, before: Row | undefined, until: number | undefined): () => void {
    const earlier = this.earlier.get(id)
    if (until === undefined) this.earlier.delete(id)
    else this.earlier.set(id, [...(earlier ?? []), { row: before, until }])
    return () => {
      if (earlier) this.earlier.set(id, earlier)
      else this.earlier.delete(id)
    }
  }

  /** The version of a record that shows at a time; undefined if none does. */
  shown(id: string, current: Row | undefined, now: number): Row | undefined {
    const earlier = this.waiting(id, now)
    return earlier.length === 0 ? current : earlier[0]?.row
  }

  /** The versions that do not show yet. */
  hidden(current: (id: string) => Row | undefined, now: number): (Row | undefined)[] {
    return [...this.earlier.keys()].flatMap((id) => {
      const waiting = this.waiting(id, now)
      return waiting.map((_, at) => (at + 1 < waiting.length ? waiting[at + 1]?.row : current(id)))
    })
  }

  private waiting(id: string, now: number): readonly Earlier<Row>[] {
    const earlier = this.earlier.get(id) ?? []
    const from = earlier.findLastIndex(({ until }) => until <= now) + 1
    if (from > 0 && from === earlier.length) this.earlier.delete(id)
    return earlier.slice(from)
  }

  clear(): void {
    this.earlier.clear()
  }
}
