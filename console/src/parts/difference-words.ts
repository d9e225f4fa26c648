/** A stretch of a text that stayed, went or came. */
export interface Stretch {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** More pairs of pieces than this are not compared: the page would stand still. */
const MOST_PAIRS = 400_000

/** From words to lines: the finest that can be compared in good time. */
const FINENESS = [/(\s+)/, /(?<=\n)/]

/** What became of a text, word by word, or line by line where it is very long. */
export function stretchesOf(from: string, to: string): readonly Stretch[] {
  for (const separator of FINENESS) {
    const [before, after] = [from.split(separator), to.split(separator)]
    const start = alike(before, after)
    const end = alike(before.slice(start).reverse(), after.slice(start).reverse())
    const [was, is] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
    if (was.length * is.length > MOST_PAIRS) continue
    const middle = compared(was, is)
    return joined([...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))])
  }
  return [
    { kind: 'gone', text: from },
    { kind: 'new', text: to },
  ]
}

const same = (pieces: readonly string[]): Stretch[] => pieces.map((text) => ({ kind: 'same', text }))

/** How many pieces at the beginning are the same. */
function alike(a: readonly string[], b: readonly string[]): number {
  let n = 0
  while (n < a.length && n < b.length && a[n] === b[n]) n++
  return n
}

/** The pieces of both, with as many as possible kept: the longest common subsequence. */
function compared(was: readonly string[], is: readonly string[]): Stretch[] {
  const width = is.length + 1
  const kept = new Uint32Array((was.length + 1) * width)
  const at = (i: number, j: number) => kept[i * width + j] ?? 0
  for (let i = was.length - 1; i >= 0; i--)
    for (let j = is.length - 1; j >= 0; j--) kept[i * width + j] = was[i] === is[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const stretches: Stretch[] = []
  let [i, j] = [0, 0]
  while (i < was.length || j < is.length) {
    const [old, now] = [was[i], is[j]]
    if (old !== undefined && old === now) {
      stretches.push({ kind: 'same', text: old })
      i++
      j++
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      stretches.push({ kind: 'gone', text: old })
      i++
    } else {
      stretches.push({ kind: 'new', text: now ?? '' })
      j++
    }
  }
  return stretches
}

/** Neighbours of one kind are one stretch. Space between two changes has changed with them, so that they read as one. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = []
  let [gone, come] = ['', '']
  const flush = () => {
    if (gone !== '') all.push({ kind: 'gone', text: gone })
    if (come !== '') all.push({ kind: 'new', text: come })
    gone = come = ''
  }
  for (const [place, { kind, text }] of stretches.entries()) {
    const next = stretches[place + 1]
    const between = kind === 'same' && text.trim() === '' && gone + come !== '' && next !== undefined && next.kind !== 'same'
    if (kind === 'gone' || between) gone += text
    if (kind === 'new' || between) come += text
    if (kind !== 'same' || between) continue
    flush()
    const last = all.at(-1)
    if (last?.kind === 'same') all[all.length - 1] = { kind, text: last.text + text }
    else if (text !== '') all.push({ kind, text })
  }
  flush()
  return all
}
