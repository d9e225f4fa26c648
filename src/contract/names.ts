/** What a person may type for an operation (`Create A Lead`, `create-a-lead`, `CREATE_A_LEAD`), folded to its id. */
export function fold(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
}

/** The candidates nearest to what was typed, nearest first; only those near enough to be what was meant. */
export function nearest(typed: string, candidates: Iterable<string>, most = 1, always = false): string[] {
  // A name that long is no slip of the finger, and measuring it would only cost time.
  if (typed.length > 100) return []
  const wanted = typed.toLowerCase()
  return [...candidates]
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, distance }) => always || distance <= Math.max(2, Math.floor(Math.max(name.length, wanted.length) * 0.4)))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
}

/** Levenshtein's distance with neighbouring letters swapped counted as one slip. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
