/** SHA-256 of a text, in hexadecimal: Node's own on the command line, a library's in a browser. */
export type Digest = (text: string) => string

/** The name under which the rows of a file are recognised: a file and its rejects have the same. */
export const runNameOf = (file: string) => file.replace(/\.[^.]*$/, '').replace(/\.rejects(-\d+)?$/, '')

/**
 * Makes the idempotency key of a row out of the name of its file and its values, so that a row is recognised when the same file is imported again, also
 * after other rows were corrected, added or removed, and never in another file. Equal rows are distinguished by how many of them came before.
 */
export class RowKeys {
  private readonly run: string
  private readonly digest: Digest
  private readonly seen = new NumberSet()
  private readonly repeats = new Map<number, number>()

  constructor(run: string, digest: Digest) {
    this.run = run
    this.digest = digest
  }

  keyOf(operation: string, input: string): string {
    const digest = this.digest(`${this.run}\n${operation}\n${input}`)
    const number = Number.parseInt(digest.slice(0, 13), 16)
    if (this.seen.add(number)) return `import-${digest.slice(0, 32)}`
    const nth = (this.repeats.get(number) ?? 1) + 1
    this.repeats.set(number, nth)
    return `import-${digest.slice(0, 32)}-${nth}`
  }
}

/** A set of numbers that takes about sixteen bytes each, since there may be millions of them. */
class NumberSet {
  private slots = new Float64Array(1 << 12)
  private size = 0

  /** Whether it was not there yet. */
  add(number: number): boolean {
    const value = number + 1
    const at = this.find(value)
    if (this.slots[at] === value) return false
    this.slots[at] = value
    if (++this.size * 2 > this.slots.length) this.grow()
    return true
  }

  private find(value: number): number {
    const mask = this.slots.length - 1
    let at = value & mask
    while (this.slots[at] !== 0 && this.slots[at] !== value) at = (at + 1) & mask
    return at
  }

  private grow(): void {
    const before = this.slots
    this.slots = new Float64Array(before.length * 2)
    for (const value of before) if (value !== 0) this.slots[this.find(value)] = value
  }
}
