/** A set of numbers that takes about sixteen bytes each, since there may be millions of them. */
export class NumberSet {
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

  has(number: number): boolean {
    return this.slots[this.find(number + 1)] !== 0
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

/** The beginning of a digest, as large a number as is exact. */
export const numberOf = (digest: string) => Number.parseInt(digest.slice(0, 13), 16)
