/** So many are read at once, and written in one transaction, so that other calls run between two of them. Whole requests of 60 ids, and of 100, are made of them. */
const SLICE = 300

export function* slices<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += SLICE) yield all.slice(from, from + SLICE)
}
