type Columns = { readonly [column: string]: unknown }
type Side = Map<string, Map<string, Columns>>

/** What is linked with what, many to many. */
export class Relations {
  private readonly sides = new Map<string, Side>()

  /** Links two records; the second time only the columns change. */
  link(link: RelationEnds, near: string, far: string, columns: Columns = {}): void {
    for (const [side, from, to] of this.both(link, near, far)) {
      const linked = side.get(from) ?? new Map<string, Columns>()
      linked.set(to, { ...linked.get(to), ...columns })
      side.set(from, linked)
    }
  }

  unlink(link: RelationEnds, near: string, far: string): void {
    for (const [side, from, to] of this.both(link, near, far)) side.get(from)?.delete(to)
  }

  /** The ids at the far end, in the order they were linked. */
  linked(link: RelationEnds, near: string): ReadonlyMap<string, Columns> {
    return this.side(link.near).get(near) ?? NONE
  }

  private both({ near: nearEnd, far: farEnd }: RelationEnds, near: string, far: string): [Side, string, string][] {
    return [
      [this.side(nearEnd), near, far],
      [this.side(farEnd), far, near],
    ]
  }

  private side(name: string): Side {
    const side = this.sides.get(name) ?? new Map()
    this.sides.set(name, side)
    return side
  }
}

const NONE: ReadonlyMap<string, Columns> = new Map()

/** The two ends of a relation, each named after the scope it is seen from. */
export interface RelationEnds {
  readonly near: string
  readonly far: string
}
