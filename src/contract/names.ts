/** The id of an operation by any spelling of its name: `Create A Lead`, `create-a-lead`, `CREATE_A_LEAD`. */
export function fold(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
}

/** The largest edit distance of a suggestion. */
const MAX_DISTANCE = 6

/** The most characters and candidates that are compared. What is longer is no typing error of a name. */
const MAX_LENGTH = 80
const MAX_CANDIDATES = 500

/** The candidates nearest to a name, nearest first: only those within a small edit distance, unless `any` is set. */
export function nearest(typed: string, candidates: Iterable<string>, most = 1, any = false): string[] {
  if (typed.length > MAX_LENGTH && !any) return []
  const wanted = typed.toLowerCase().slice(0, MAX_LENGTH)
  return [...candidates]
    .slice(0, MAX_CANDIDATES)
    .map((name) => {
      const limit = any ? Number.POSITIVE_INFINITY : limitFor(Math.max(name.length, wanted.length))
      return { name, limit, distance: distance(wanted, name.toLowerCase(), limit) }
    })
    .filter(({ distance, limit }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
}

/** The largest distance of names of which the longer has so many characters: less than all of them, so that something agrees. */
const limitFor = (length: number) => Math.max(0, Math.min(MAX_DISTANCE, length - 1, Math.max(1, Math.floor(length * 0.4))))

/** The nearest candidate as a member of a fault; nothing where none is near enough. */
export function didYouMean(typed: string, candidates: Iterable<string>): { didYouMean?: string } {
  const [name] = nearest(typed, candidates)
  return name === undefined ? {} : { didYouMean: name }
}

/**
 * The Damerau-Levenshtein distance (a swap of neighbours counts as one edit); Infinity once it exceeds the limit. Cells that are further
 * from the diagonal than the limit exceed it, and are not computed.
 */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY
  const beyond = limit + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((last[j] ?? beyond) + 1, (row[j - 1] ?? beyond) + 1, (last[j - 1] ?? beyond) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? beyond) + 1)
      row[j] = best
      if (best < least) least = best
    }
    if (least > limit) return Number.POSITIVE_INFINITY
    before = last
    last = row
  }
  return last[b.length] ?? beyond
}
