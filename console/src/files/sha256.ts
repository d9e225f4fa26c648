/**
 * SHA-256 of a text, in hexadecimal. Written by hand because the browser's own is only there on secure pages, answers later, and what rows are
 * known by must be the same wherever and however the page was opened.
 */
export function sha256(text: string): string {
  const bytes = padded(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  const state = Uint32Array.from(FIRST)
  const words = new Uint32Array(64)
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + 4 * i)
    for (let i = 16; i < 64; i++) {
      const before = word(words, i - 15)
      const last = word(words, i - 2)
      const small = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3)
      const large = turned(last, 17) ^ turned(last, 19) ^ (last >>> 10)
      words[i] = word(words, i - 16) + small + word(words, i - 7) + large
    }
    compress(state, words)
  }
  return Array.from(state, (part) => part.toString(16).padStart(8, '0')).join('')
}

/** The text, a one, zeros, and how long the text was, in blocks of 64 bytes. */
function padded(text: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((text.length + 9) / 64) * 64)
  bytes.set(text)
  bytes[text.length] = 0x80
  new DataView(bytes.buffer).setBigUint64(bytes.length - 8, BigInt(text.length) * 8n)
  return bytes
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + word(ROUNDS, i) + word(words, i)) | 0
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [i, part] of [a, b, c, d, e, f, g, h].entries()) state[i] = word(state, i) + part
}

const word = (words: Uint32Array, i: number) => words[i] ?? 0
const turned = (value: number, by: number) => (value >>> by) | (value << (32 - by))

/** The first 32 bits of what is behind the point of a root. */
const behindPoint = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32)

const PRIMES: readonly number[] = (() => {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
})()

const FIRST = PRIMES.slice(0, 8).map((prime) => behindPoint(Math.sqrt(prime)))
const ROUNDS = Uint32Array.from(PRIMES, (prime) => behindPoint(Math.cbrt(prime)))
