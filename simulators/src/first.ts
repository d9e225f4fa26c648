/** The first items of an order, as if all were sorted: equal ones stay in their order. */
export function firstOf<T>(items: Iterable<T>, count: number, compare: (one: T, other: T) => number): T[] {
  let first: T[] = []
  let last: T | undefined
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue
    first.push(item)
    if (first.length < 2 * count) continue
    first = first.sort(compare).slice(0, count)
    last = first.at(-1)
  }
  return first.sort(compare).slice(0, count)
}
