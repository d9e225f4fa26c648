import { quoted } from '../../../contract/visible-text.ts'
import type { Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place } from '../engine/tables.ts'
import { type Codec, familyOf } from '../engine/translation.ts'

/** What is known of a field of an account beyond the tables. */
export interface SalesforcePlace extends Place {
  /** How many digits a number may have before its point. */
  readonly digits?: number
  /**
   * The options of a picklist, if the account reports them. They are case-insensitive: a value in another case is stored as the existing option.
   */
  readonly words?: readonly string[]
  /** Whether it has no place where the account does not show it, rather than being a fault of the configuration. */
  readonly optional?: boolean
  /** What stands for no value in a field that Salesforce does not take empty. */
  readonly placeholder?: string
  /** Whether it can be set when a record is created, and not changed later. */
  readonly createOnly?: boolean
  /** The name by which conditions reach the record behind a reference, such as Account for AccountId. */
  readonly relationship?: string
}

/** How Salesforce writes values. Values that it would silently alter or truncate are refused before they are sent. */
export const codec: Codec = {
  write(place: SalesforcePlace, value) {
    if (value === null) return familyOf(place) === 'boolean' ? false : (place.placeholder ?? null)
    if (familyOf(place) === 'list') return joined(place, value as unknown as readonly string[])
    const why = unkeepable(place, value)
    if (why !== undefined) throw new DriverError('platform_rejected', why, { errors: [{ field: place.name, code: 'value', message: why }] })
    return typeof value === 'string' && place.words ? listed(place.words, value) : value
  },

  read(place: SalesforcePlace, raw) {
    switch (familyOf(place)) {
      case 'timestamp':
        return instantOf(raw as string)
      case 'number':
        return Number(raw)
      case 'boolean':
        return raw === true
      case 'list':
        return String(raw).split(SEPARATOR) as unknown as Value
      default:
        return isPlaceholder(place, String(raw)) ? null : String(raw)
    }
  },
}

/** Several values of a picklist are one text. */
const SEPARATOR = ';'

/** Several values as Salesforce takes them; none of them are no value at all. */
function joined({ name, words = [] }: SalesforcePlace, values: readonly string[]): string | null {
  const split = values.find((value) => value.includes(SEPARATOR))
  if (split === undefined) return values.map((value) => listed(words, value)).join(SEPARATOR) || null
  const message = `Salesforce separates the values of ${name} by semicolons, and ${quoted(split)} has one.`
  throw new DriverError('platform_rejected', message, { errors: [{ field: name, code: 'value', message }] })
}

/** Salesforce compares texts without their case, and so is the placeholder. */
const isPlaceholder = ({ placeholder }: SalesforcePlace, text: string) => placeholder !== undefined && placeholder.toLowerCase() === text.toLowerCase()

/** A word as the picklist has it. */
const listed = (words: readonly string[], word: string) =>
  words.includes(word) ? word : (words.find((one) => one.toLowerCase() === word.toLowerCase()) ?? word)

/** How Salesforce says all of its moments. */
const IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/

const instantOf = (raw: string) => (IN_UTC.test(raw) ? `${raw.slice(0, 23)}Z` : new Date(raw).toISOString())

/** Days and moments begin and end there. */
const FIRST = '1700-01-01'
const LAST = '4000-12-31'

function outside(name: string, value: string): string | undefined {
  const day = value.slice(0, 10)
  // A year of more than four digits begins with a sign.
  return /^\d/.test(value) && day >= FIRST && day <= LAST ? undefined : `Salesforce keeps days from ${FIRST} to ${LAST}, and ${name} is ${day}.`
}

function unkeepable(place: SalesforcePlace, value: Value): string | undefined {
  const { name, max, decimals, digits = 18 } = place
  switch (familyOf(place)) {
    case 'date':
      return outside(name, value as string)
    case 'timestamp':
      return new Date(value as string).getTime() % 1000 === 0
        ? outside(name, value as string)
        : `Salesforce keeps moments to the second, and ${name} has parts of one.`
    case 'number':
      if (decimals !== undefined && Number((value as number).toFixed(decimals)) !== value)
        return `Salesforce keeps ${decimals} decimals of ${name}, and ${value} has more.`
      return Math.abs(value as number) < 10 ** digits ? undefined : `Salesforce keeps ${digits} digits of ${name}, and ${value} has more.`
    case 'text':
      return max === undefined || (value as string).length <= max || [...(value as string)].length <= max
        ? undefined
        : `Salesforce keeps ${max} characters of ${name}, and there are more.`
    default:
      return undefined
  }
}
