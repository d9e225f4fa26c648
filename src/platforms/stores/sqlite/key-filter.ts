const BITS_A_KEY = 16
const PROBES = 4
const HALF = 2 ** 24

/** A Bloom filter for numbers below 2 ** 48: `mayHave` is never false for a number that was added. */
export class KeyFilter {
  private readonly words: Uint32Array
  private readonly mask: number

  /** `keys` is the expected number of keys, a power of two. */
  constructor(keys: number) {
    this.words = new Uint32Array((keys * BITS_A_KEY) / 32)
    this.mask = keys * BITS_A_KEY - 1
  }

  add(hash: number): void {
    const step = Math.floor(hash / HALF) | 1
    for (let i = 0, at = hash % HALF; i < PROBES; i++, at += step) {
      const bit = at & this.mask
      this.words[bit >>> 5] = (this.words[bit >>> 5] as number) | (1 << (bit & 31))
    }
  }

  mayHave(hash: number): boolean {
    const step = Math.floor(hash / HALF) | 1
    for (let i = 0, at = hash % HALF; i < PROBES; i++, at += step) {
      const bit = at & this.mask
      if (((this.words[bit >>> 5] as number) & (1 << (bit & 31))) === 0) return false
    }
    return true
  }
}
