import { randomInt } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 9
const LATEST = 32 ** TIME_LENGTH - 1

/** Makes ids that begin with the moment of their making, so that they sort by it; two of one process never swap places. */
export function createClock(now: () => number = Date.now) {
  let last = 0
  let high = 0
  let low = 0
  /** What the ids of one moment have in common. */
  let beginning = encode(last, TIME_LENGTH) + encode(high, 5)
  return {
    /** An id and the moment it begins with. The moment never runs backwards, whatever the machine's clock does. */
    newId(): { id: string; at: string } {
      const time = now()
      if (time > last) {
        last = time
        high = randomInt(2 ** 24)
        low = randomInt(2 ** 29)
        beginning = encode(last, TIME_LENGTH) + encode(high, 5)
      } else if (++low >= 2 ** 30) {
        low = 0
        high++
        beginning = encode(last, TIME_LENGTH) + encode(high, 5)
      }
      return { id: beginning + encode(low, 6), at: isoOf(last) }
    },
    now(): string {
      return isoOf(Math.max(now(), last))
    },
  }
}

let isoTime = Number.NaN
let isoText = ''

/** Writing a moment out costs more than remembering the last one: many calls fall into the same millisecond. */
function isoOf(time: number): string {
  if (time !== isoTime) {
    isoTime = time
    isoText = new Date(time).toISOString()
  }
  return isoText
}

/** Every id made at or after this moment is at or above this text; undefined where no id can be that late. */
export function idFloor(time: number): string | undefined {
  return time > LATEST ? undefined : encode(Math.max(0, time), TIME_LENGTH)
}

function encode(value: number, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(value % 32) + text
    value = Math.floor(value / 32)
  }
  return text
}
