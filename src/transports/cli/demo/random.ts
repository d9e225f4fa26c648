/** Draws numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from one to another, both included. */
  whole(from: number, to: number): number
  /** Whether something happens that happens so often. */
  chance(part: number): boolean
  pick<T>(list: readonly T[]): T
  /** Around 1, never below 0, and sometimes far above. */
  logNormal(spread: number): number
}

/** A stream of its own for everything that is named differently, so that nothing depends on what else is drawn. */
export function randomFor(...names: readonly (string | number)[]): Random {
  let state = 2_166_136_261
  for (const letter of names.join(' ')) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16_777_619)
  const next = () => {
    // Mulberry32, which is small, quick and good enough for stories.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (part) => next() < part,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    logNormal: (spread) => Math.exp(spread * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())),
  }
}
