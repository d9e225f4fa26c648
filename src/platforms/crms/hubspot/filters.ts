import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, Value } from '../../platform.ts'
import type { Place } from '../engine/tables.ts'
import { theirWordsFor } from '../engine/translation.ts'
import { decimal } from './codec.ts'
import { ALWAYS, ASSOCIATED, ID, OWNER } from './tables.ts'

export interface Filter {
  readonly propertyName: string
  readonly operator: string
  readonly value?: string
  readonly highValue?: string
  readonly values?: readonly string[]
}

/** Groups of filters: a record matches if all filters of one group do. No groups match nothing, and a group without filters everything. */
export type FilterGroups = readonly (readonly Filter[])[]

export const NOTHING: FilterGroups = []
export const EVERYTHING: FilterGroups = [[]]

/** So many values fit in one list, and so long a text in a filter. */
const LONGEST_LIST = 100
const LONGEST_TEXT = 500
const DAY_MS = 86_400_000

const absent = ({ name }: Place): Filter => ({ propertyName: name, operator: 'NOT_HAS_PROPERTY' })
const present = ({ name }: Place): Filter => ({ propertyName: name, operator: 'HAS_PROPERTY' })
const is = ({ name }: Place, operator: string, value: string): Filter => ({ propertyName: name, operator, value })
const among = ({ name }: Place, values: readonly string[]): Filter => ({ propertyName: name, operator: 'IN', values: [...new Set(values)] })

const OPERATORS: { readonly [operator: string]: string } = { eq: 'EQ', ne: 'NEQ', gt: 'GT', gte: 'GTE', lt: 'LT', lte: 'LTE' }

/** How the values of a family are compared in HubSpot; undefined where it would lose records that match. */
interface Comparing {
  one(place: Place, operator: string, value: string | number | boolean): FilterGroups | undefined
  list(place: Place, values: readonly (string | number | boolean)[]): FilterGroups | undefined
}

const byNumber = (written: (value: string | number | boolean) => string | undefined): Comparing => ({
  one(place, operator, value) {
    const text = written(value)
    const name = OPERATORS[operator]
    if (text === undefined || name === undefined) return undefined
    return operator === 'ne' ? [[is(place, 'NEQ', text)], [absent(place)]] : [[is(place, name, text)]]
  },
  list(place, values) {
    const texts = values.map(written)
    return texts.every((text) => text !== undefined) ? [[among(place, texts)]] : undefined
  },
})

/** Ids are numbers: any other value matches no record. */
const byId: Comparing = {
  one(place, operator, value) {
    if (place.name === OWNER && value === NOBODY) return operator === 'eq' ? [[absent(place)]] : operator === 'ne' ? [[present(place)]] : undefined
    if (operator === 'eq') return isId(value) ? [[is(place, 'EQ', value)]] : NOTHING
    if (operator === 'ne') return isId(value) ? [[is(place, 'NEQ', value)], [absent(place)]] : EVERYTHING
    return undefined
  },
  list(place, values) {
    const ids = values.filter(isId)
    const ownerless = place.name === OWNER && values.includes(NOBODY) ? [[absent(place)]] : []
    return [...(ids.length > 0 ? [[among(place, ids)]] : []), ...ownerless]
  },
}

export const isId = (value: unknown): value is string => typeof value === 'string' && /^[1-9]\d{0,18}$/.test(value)

/** HubSpot ignores case, so texts that differ here may be equal there: `ne` is only sent for a closed set of words that differ in more than case. */
const byText: Comparing = {
  one(place, operator, value) {
    if (operator !== 'eq' && operator !== 'ne') return undefined
    const [text] = theirWordsFor(place, value).map(String)
    if (text === undefined) return operator === 'ne' ? EVERYTHING : NOTHING
    if (text === '' || text.length > LONGEST_TEXT) return undefined
    if (operator === 'eq') return [[is(place, 'EQ', text)]]
    return isDistinct(place, text) ? [[is(place, 'NEQ', text)], [absent(place)]] : undefined
  },
  list(place, values) {
    const texts = values.flatMap((value) => theirWordsFor(place, value).slice(0, 1).map(String))
    if (texts.some((text) => text === '' || text.length > LONGEST_TEXT)) return undefined
    // Texts are found in a list by their small letters, options as they are.
    return texts.length === 0 ? NOTHING : [[among(place, [...texts, ...texts.map((text) => text.toLowerCase())])]]
  },
}

/** Whether a word is one of a closed set, and no other of the set differs from it in case alone. */
function isDistinct({ closed, values = {} }: Place, text: string): boolean {
  const words = Object.values(values)
  return closed === true && words.includes(text) && words.filter((one) => one.toLowerCase() === text.toLowerCase()).length === 1
}

/** A day is from its beginning to its end, so that it does not matter whether a property holds a date or a moment. */
const byDay: Comparing = {
  one(place, operator, value) {
    const start = Date.parse(`${value}T00:00:00Z`)
    if (Number.isNaN(start)) return undefined
    const [from, to] = [String(start), String(start + DAY_MS)]
    switch (operator) {
      case 'eq':
        return [[{ propertyName: place.name, operator: 'BETWEEN', value: from, highValue: String(start + DAY_MS - 1) }]]
      case 'ne':
        return [[is(place, 'LT', from)], [is(place, 'GTE', to)], [absent(place)]]
      case 'gt':
        return [[is(place, 'GTE', to)]]
      case 'gte':
        return [[is(place, 'GTE', from)]]
      case 'lt':
        return [[is(place, 'LT', from)]]
      case 'lte':
        return [[is(place, 'LT', to)]]
      default:
        return undefined
    }
  },
  list(place, values) {
    const days = values.map((value) => byDay.one(place, 'eq', value))
    return days.every((day) => day !== undefined) ? days.flat() : undefined
  },
}

const FAMILIES: { readonly [F in Condition['family']]: Comparing } = {
  text: byText,
  number: byNumber((value) => decimal(Number(value))),
  date: byDay,
  timestamp: byNumber((value) => {
    const ms = Date.parse(String(value))
    return Number.isNaN(ms) ? undefined : String(ms)
  }),
  boolean: byNumber(String),
  // Whether several options are searched for one by one is not documented.
  list: { one: () => undefined, list: () => undefined },
}

/** A condition as HubSpot understands it. It lets too many through at most; undefined where it would let too few. */
export function filterGroupsOf(place: Place, { family, operator, value }: Condition): FilterGroups | undefined {
  if (place.filters === false) return undefined
  if (place.name.startsWith(ASSOCIATED)) return filterGroupsTo(place, operator, value)
  const comparing = place.name === ID || place.name === OWNER ? byId : FAMILIES[family]
  if (operator === 'in') return filterGroupsAmong(place, comparing, [value].flat() as Value[])
  if (value === null) return operator === 'eq' ? [[absent(place)]] : operator === 'ne' ? [[present(place)]] : NOTHING
  return comparing.one(place, operator, value as string | number | boolean)
}

/** Whether the filters let just those through that the contract does: moments that every record has are compared in milliseconds, as they are here. */
export const isExact = ({ name, kind }: Place, { operator }: Condition) => kind === 'timestamp' && ALWAYS.has(name) && EXACT.has(operator)

const EXACT: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte'])

function filterGroupsAmong(place: Place, comparing: Comparing, values: readonly Value[]): FilterGroups | undefined {
  const some = values.filter((value) => value !== null)
  if (some.length > LONGEST_LIST) return undefined
  const listed = some.length > 0 ? comparing.list(place, some) : NOTHING
  return listed && [...listed, ...(some.length < values.length ? [[absent(place)]] : [])]
}

/** Records that are associated with others, in whatever way. Searches do not tell those that are not. */
function filterGroupsTo(place: Place, operator: string, value: Condition['value']): FilterGroups | undefined {
  if (operator !== 'eq' && operator !== 'in') return undefined
  const ids = [value].flat() as Value[]
  if (ids.length > MOST.groups || ids.includes(null)) return undefined
  return ids.filter(isId).map((id) => [is(place, 'EQ', id)])
}

/** What a search may ask for at once. */
const MOST = { groups: 5, inGroup: 6, filters: 18, characters: 1_900 }

/** The filter groups of a search with several conditions: all of `must`, and as many of `may` as fit. */
export function combined(must: readonly FilterGroups[], may: readonly FilterGroups[]): FilterGroups {
  let all = must.reduce(both, EVERYTHING)
  for (const filterGroups of may) {
    const more = both(all, filterGroups)
    if (fits(more)) all = more
  }
  return all
}

export const both = (one: FilterGroups, other: FilterGroups): FilterGroups => one.flatMap((group) => other.map((more) => [...group, ...more]))

export function fits(filterGroups: FilterGroups): boolean {
  return (
    filterGroups.length <= MOST.groups &&
    filterGroups.every(({ length }) => length <= MOST.inGroup) &&
    filterGroups.flat().length <= MOST.filters &&
    JSON.stringify(filterGroups).length <= MOST.characters
  )
}
