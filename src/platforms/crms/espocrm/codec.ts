import type { Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place } from '../engine/tables.ts'
import type { Codec } from '../engine/translation.ts'
import { INVERTED } from './tables.ts'

/** EspoCRM's JSON has numbers and truth values of its own; only moments are written in another way. */
export const codec: Codec = {
  write(place, value) {
    if (value === null) return null
    if (place.kind === 'timestamp') return wholeSecond(place, value as string)
    if (place.kind === 'boolean') return truth(place, value as boolean)
    return value
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
      default:
        return typeof raw === 'object' ? JSON.stringify(raw) : String(raw)
    }
  },
}

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
  const message = 'EspoCRM keeps moments to the second, and this one has a fraction.'
  throw new DriverError('unsupported', message, { errors: [{ field: place.name, code: 'value', message, expected: momentOf(ms) }] })
}
