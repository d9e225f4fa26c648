import { randomInt } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 9
const LATEST = 32 ** TIME_LENGTH - 1

/** Generates ids that begin with their creation time and sort by it, strictly ascending within a process. */
export function createClock(now: () => number = Date.now) {
  let last = 0
  let high = 0
  let low = 0
  /** Shared by all ids of one millisecond. */
  let prefix = encode(last, TIME_LENGTH) + encode(high, 5)
  return {
    /** An id and the time it begins with, which never runs backwards even if the machine's clock is set back. */
    newId(): { id: string; at: string } {
      const time = now()
      if (time > last) {
        last = time
        high = randomInt(2 ** 24)
        low = randomInt(2 ** 29)
        prefix = encode(last, TIME_LENGTH) + encode(high, 5)
      } else if (++low >= 2 ** 30) {
        low = 0
        high++
        prefix = encode(last, TIME_LENGTH) + encode(high, 5)
      }
      return { id: prefix + encode(low, 6), at: isoOf(last) }
    },
    now(): string {
      return isoOf(Math.max(now(), last))
    },
  }
}

let isoTime = Number.NaN
let isoText = ''

/** Memoised for one millisecond, into which many calls fall. */
function isoOf(time: number): string {
  if (time !== isoTime) {
    isoTime = time
    isoText = new Date(time).toISOString()
  }
  return isoText
}

/** The lower bound of all ids created at or after this time; undefined beyond the latest time that an id can hold. */
export function idFloor(time: number): string | undefined {
  return time > LATEST ? undefined : encode(Math.max(0, time), TIME_LENGTH)
}

/** The time that an id begins with, in milliseconds; 0 for an id of another form. */
export function timeOf(id: string): number {
  let time = 0
  for (let i = 0; i < TIME_LENGTH; i++) {
    const digit = ALPHABET.indexOf(id.charAt(i) || '-')
    if (digit < 0) return 0
    time = time * 32 + digit
  }
  return time
}

function encode(value: number, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(value % 32) + text
    value = Math.floor(value / 32)
  }
  return text
}
