type Columns = { readonly [column: string]: unknown }
type Side = Map<string, Map<string, Columns>>

/** Many-to-many links. */
export class Relations {
  private readonly sides = new Map<string, Side>()

  /** Links two records. If they are linked already, only the columns change. */
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

  /** The linked ids in the order of linking, with their columns. */
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

/** The two ends of a relation, named `Scope.link`. */
export interface RelationEnds {
  readonly near: string
  readonly far: string
}
