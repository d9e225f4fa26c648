import type { AssociationType } from './association-types.ts'

/** The associations between records, stored in both directions. */
export class Associations {
  /** By source record and target type: the target ids with their association types. */
  private readonly links = new Map<string, Map<string, Set<AssociationType>>>()

  add(type: AssociationType, inverse: AssociationType, fromId: string, toId: string): void {
    this.link(type, fromId, toId)
    this.link(inverse, toId, fromId)
  }

  remove(from: string, fromId: string, to: string, toId: string): void {
    this.links.get(keyOf(from, fromId, to))?.delete(toId)
    this.links.get(keyOf(to, toId, from))?.delete(fromId)
  }

  /** Removes one association type between two records. */
  unlink(type: AssociationType, inverse: AssociationType, fromId: string, toId: string): void {
    this.cut(type, fromId, toId)
    this.cut(inverse, toId, fromId)
  }

  of(from: string, fromId: string, to: string): ReadonlyMap<string, ReadonlySet<AssociationType>> {
    return this.links.get(keyOf(from, fromId, to)) ?? NONE
  }

  private link(type: AssociationType, fromId: string, toId: string): void {
    const key = keyOf(type.from, fromId, type.to)
    const linked = this.links.get(key) ?? new Map<string, Set<AssociationType>>()
    this.links.set(key, linked)
    linked.set(toId, (linked.get(toId) ?? new Set()).add(type))
  }

  private cut(type: AssociationType, fromId: string, toId: string): void {
    const linked = this.links.get(keyOf(type.from, fromId, type.to))
    const ways = linked?.get(toId)
    ways?.delete(type)
    if (ways?.size === 0) linked?.delete(toId)
  }
}

const NONE: ReadonlyMap<string, ReadonlySet<AssociationType>> = new Map()

const keyOf = (from: string, fromId: string, to: string) => `${from} ${fromId} ${to}`
