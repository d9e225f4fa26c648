import type { AssociationType } from './association-types.ts'

/** Which record belongs to which, seen from both sides. */
export class Associations {
  /** By the record it begins at and the type of those it leads to: their ids, and in which ways. */
  private readonly links = new Map<string, Map<string, Set<AssociationType>>>()

  add(type: AssociationType, inverse: AssociationType, fromId: string, toId: string): void {
    this.link(type, fromId, toId)
    this.link(inverse, toId, fromId)
  }

  remove(from: string, fromId: string, to: string, toId: string): void {
    this.links.get(keyOf(from, fromId, to))?.delete(toId)
    this.links.get(keyOf(to, toId, from))?.delete(fromId)
  }

  /** Takes one of the ways away in which two records belong together. */
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
