import type { Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place } from '../engine/tables.ts'
import type { Codec } from '../engine/translation.ts'
import { INVERTED } from './tables.ts'

/** A value is written as EspoCRM stores it, or refused, so that what was answered is what is read later. */
export const codec: Codec = {
  write(place, value) {
    if (place.kind === 'boolean') return value === null ? noTruth(place) : truth(place, value as boolean)
    if (value === null) return null
    if (place.kind === 'choices') return value
    if (place.kind === 'timestamp') return wholeSecond(place, value as string)
    if (typeof value === 'number') return storable(place, value)
    return place.kind === 'email' ? (value as string).toLowerCase() : value
  },

  read(place, raw): Value {
    // An empty text is EspoCRM's way to say that there is no value.
    if (raw === '') return null
    switch (place.kind) {
      case 'timestamp':
        return instantOf(String(raw))
      case 'date':
        return String(raw).slice(0, 10)
      case 'number':
      case 'integer':
      case 'money':
        // Amounts that are kept as decimals come as texts.
        return Number(raw)
      case 'boolean':
        return truthOf(place, raw)
      case 'choices':
        // An empty list is no value, as an empty text is.
        return listOf(raw)
      case 'email':
        // There is one entry for an address, whose letters may be those of another record.
        return String(raw).toLowerCase()
      default:
        return typeof raw === 'object' ? JSON.stringify(raw) : String(raw)
    }
  },
}

/** The engine carries lists where it carries values. */
const listOf = (raw: unknown): Value => (Array.isArray(raw) && raw.length > 0 ? (raw.map(String) as unknown as Value) : null)

/** The words of a choice that stands for a truth value which may be missing; EspoCRM's own always has one. */
export const YES = 'true'
export const NO = 'false'

/** Whether a truth value is kept as a choice. */
export const isChoice = ({ allowed }: Place) => allowed?.includes(YES) ?? false

/** A truth value as the place keeps it. */
export function truth(place: Place, value: boolean): boolean | string {
  if (isChoice(place)) return value ? YES : NO
  return value !== INVERTED.has(place.name)
}

function truthOf(place: Place, raw: unknown): boolean {
  return (raw === true || raw === 1 || raw === YES) !== INVERTED.has(place.name)
}

/** `YYYY-MM-DD HH:MM:SS`, which is in UTC without saying so. */
export const momentOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

const instantOf = (moment: string) => `${moment.slice(0, 10)}T${moment.slice(11, 19) || '00:00:00'}.000Z`

function wholeSecond(place: Place, value: string): string {
  const ms = Date.parse(value)
  if (ms % 1000 === 0) return momentOf(ms)
  throw unstorable(place, 'EspoCRM keeps moments to the second, and this one has a fraction.', momentOf(ms))
}

/** EspoCRM rounds to so many digits when it stores a number. */
export const DIGITS = 14

function storable(place: Place, value: number): number {
  const rounded = place.decimals === 0 ? Math.trunc(value) : Number(value.toPrecision(DIGITS))
  if (rounded === value) return value
  const message =
    place.decimals === 0 ? 'EspoCRM keeps whole numbers there, and this one has a fraction.' : `EspoCRM keeps ${DIGITS} digits, and this number has more.`
  throw unstorable(place, message, String(rounded))
}

/** A truth value that is no choice is always true or false; EspoCRM fails when it is cleared. */
function noTruth(place: Place): null {
  if (isChoice(place)) return null
  throw unstorable(place, 'This Boolean of EspoCRM is always true or false, and cannot be cleared.', 'true or false')
}

function unstorable(place: Place, message: string, expected: string): DriverError {
  return new DriverError('unsupported', message, { errors: [{ field: place.name, code: 'value', message, expected }] })
}
