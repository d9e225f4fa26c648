/** One comparison of a search, or several of them. */
export interface Item {
  readonly type: string
  readonly attribute?: string
  readonly value?: string | readonly string[] | readonly Item[]
}

/** How long the query of an address may get: servers take eight thousand characters or so. */
export const LONGEST_QUERY = 6_500

export const item = (type: string, attribute: string, value?: string | readonly string[]): Item => ({
  type,
  attribute,
  ...(value !== undefined && { value }),
})
export const any = (...items: readonly Item[]): Item => (items.length === 1 && items[0] ? items[0] : { type: 'or', value: items })
export const all = (...items: readonly Item[]): Item => (items.length === 1 && items[0] ? items[0] : { type: 'and', value: items })
export const isNull = (attribute: string) => item('isNull', attribute)
export const isNotNull = (attribute: string) => item('isNotNull', attribute)

/** What no record fulfils. */
export const NOTHING: Item = isNull('id')

/** A number as it is compared by. */
export const numeral = (value: number) => String(value === 0 ? 0 : value)

/** The same inside a group, where EspoCRM forgets comparisons with what PHP takes for empty: `0` is that, and `-0` is not. */
export const groupedNumeral = (value: number) => (value === 0 ? '-0' : String(value))

/** The part of an address that asks for these, each of which must hold. */
export function whereIn(items: readonly Item[]): string {
  return items.map((one, at) => encoded(`where[${at}]`, one)).join('&')
}

/** How much longer it makes an address. */
export const lengthOf = (one: Item) => encoded('where[00]', one).length

function encoded(name: string, { type, attribute, value }: Item): string {
  return [pair(`${name}[type]`, type), ...(attribute === undefined ? [] : [pair(`${name}[attribute]`, attribute)]), ...valueIn(`${name}[value]`, value)].join(
    '&',
  )
}

function valueIn(name: string, value: Item['value']): string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return [pair(name, value)]
  return value.map((one, at) => (typeof one === 'string' ? pair(`${name}[${at}]`, one) : encoded(`${name}[${at}]`, one)))
}

export const pair = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
