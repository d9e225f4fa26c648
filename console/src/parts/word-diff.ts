export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Comparing more pairs of tokens than this would freeze the page. */
const MAX_PAIRS = 400_000

/** Words first, then lines: the finest split whose comparison is quick enough is used. */
const SEPARATORS = [/(\s+)/, /(?<=\n)/]

/** The difference between two texts word by word, or line by line where they are very long. */
export function wordDiff(from: string, to: string): readonly DiffPart[] {
  for (const separator of SEPARATORS) {
    const [before, after] = [from.split(separator), to.split(separator)]
    const start = commonStart(before, after)
    const end = commonStart(before.slice(start).reverse(), after.slice(start).reverse())
    const [was, is] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
    if (was.length * is.length > MAX_PAIRS) continue
    return merged([...same(before.slice(0, start)), ...diff(was, is), ...same(before.slice(before.length - end))])
  }
  return [
    { kind: 'removed', text: from },
    { kind: 'added', text: to },
  ]
}

const same = (tokens: readonly string[]): DiffPart[] => tokens.map((text) => ({ kind: 'same', text }))

/** How many tokens at the start are equal. */
function commonStart(a: readonly string[], b: readonly string[]): number {
  let n = 0
  while (n < a.length && n < b.length && a[n] === b[n]) n++
  return n
}

/** Keeps the longest common subsequence of both lists. */
function diff(was: readonly string[], is: readonly string[]): DiffPart[] {
  const width = is.length + 1
  const lengths = new Uint32Array((was.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = was.length - 1; i >= 0; i--)
    for (let j = is.length - 1; j >= 0; j--) lengths[i * width + j] = was[i] === is[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const parts: DiffPart[] = []
  let [i, j] = [0, 0]
  while (i < was.length || j < is.length) {
    const [old, now] = [was[i], is[j]]
    if (old !== undefined && old === now) {
      parts.push({ kind: 'same', text: old })
      i++
      j++
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: 'removed', text: old })
      i++
    } else {
      parts.push({ kind: 'added', text: now ?? '' })
      j++
    }
  }
  return parts
}

/** Joins neighbours of one kind. Space between two changes counts as changed too, so that they read as one. */
function merged(parts: readonly DiffPart[]): DiffPart[] {
  const all: DiffPart[] = []
  let [removed, added] = ['', '']
  const flush = () => {
    if (removed !== '') all.push({ kind: 'removed', text: removed })
    if (added !== '') all.push({ kind: 'added', text: added })
    removed = added = ''
  }
  for (const [index, { kind, text }] of parts.entries()) {
    const next = parts[index + 1]
    const between = kind === 'same' && text.trim() === '' && removed + added !== '' && next !== undefined && next.kind !== 'same'
    if (kind === 'removed' || between) removed += text
    if (kind === 'added' || between) added += text
    if (kind !== 'same' || between) continue
    flush()
    const last = all.at(-1)
    if (last?.kind === 'same') all[all.length - 1] = { kind, text: last.text + text }
    else if (text !== '') all.push({ kind, text })
  }
  flush()
  return all
}
