import { NOBODY } from '../../../contract/records/user.ts'
import type { Value } from '../../platform.ts'
import type { Place } from '../engine/tables.ts'
import { type Codec, toOurWord, toTheirWord } from '../engine/translation.ts'
import { htmlOf, textOf } from './note-text.ts'
import { OWNER, PROBABILITY } from './tables.ts'

/** The one property of ours that holds HTML. */
const HTML = 'hs_note_body'

/** What stands between several options of one value. */
const SEPARATOR = ';'

/** How values are written in HubSpot: all of them as texts, the empty one for none. */
export const codec: Codec = {
  write(place, value) {
    if (value === null || (place.name === OWNER && value === NOBODY)) return ''
    if (typeof value === 'number') return decimal(place.name === PROBABILITY ? value / 100 : value)
    if (Array.isArray(value)) return value.map((one) => toTheirWord(place, one)).join(SEPARATOR)
    if (place.name === HTML) return htmlOf(String(value))
    return String(value)
  },

  read(place, raw) {
    const text = String(raw)
    if (text === '') return null
    return (READERS[place.kind] ?? readText)(text, place)
  },
}

const readText = (text: string, { name }: Place): Value => (name === HTML ? textOf(text) : text)

const readNumber = (text: string): Value => {
  const number = Number(text)
  return Number.isNaN(number) ? null : number
}

const readInteger = (text: string, { name }: Place): Value => {
  const number = readNumber(text)
  return name === PROBABILITY && number !== null ? Math.round(Number(number) * 100) : number
}

/** Several words, which no other kind of value has. */
const readChoices = (text: string, place: Place): Value =>
  text
    .split(SEPARATOR)
    .filter((one) => one !== '')
    .map((one) => toOurWord(place, one)) as unknown as Value

const READERS: { readonly [K in Place['kind']]?: (text: string, place: Place) => Value } = {
  number: readNumber,
  integer: readInteger,
  choices: readChoices,
  money: readNumber,
  boolean: (text) => text === 'true',
  // A date may be kept as a moment, of which the day in UTC is meant.
  date: (text) => readMoment(text)?.slice(0, 10) ?? null,
  timestamp: (text) => readMoment(text),
}

function readMoment(text: string): string | null {
  const ms = momentIn(text)
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** A moment in milliseconds, from however HubSpot writes it. */
export function momentIn(text: string): number | undefined {
  const ms = /^-?\d+$/.test(text) ? Number(text) : Date.parse(text)
  return Number.isNaN(ms) || Math.abs(ms) > 8.64e15 ? undefined : ms
}

/** A number without an exponent, whatever its size. */
export function decimal(number: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  if (exponent === undefined) return String(number)
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return point >= digits.length ? `${sign}${digits.padEnd(point, '0')}` : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
