import { quoted } from '../../../contract/visible-text.ts'
import type { Me, Row } from './api.ts'
import { type Definitions, STOCK } from './metadata.ts'

/** What is wrong with the currency that the options name, and what to do about it; undefined if it is right, or the settings cannot be read. */
export function wrongCurrency(
  currency: string | undefined,
  { settings = {} }: Pick<Me, 'settings'>,
): { readonly text: string; readonly todo: string } | undefined {
  const known = Array.isArray(settings.currencyList) ? settings.currencyList.map(String) : []
  if (currency === undefined || known.length === 0 || known.includes(currency)) return undefined
  return {
    text: `EspoCRM has no currency ${quoted(currency)}.`,
    todo: `Set the option currency to one of ${known.join(', ')}, or add it in EspoCRM (Administration, Currency).`,
  }
}

/** Adds the currency to the amounts of a row that is sent. Without one, EspoCRM refuses an amount of 0. */
export type WithCurrencies = (object: string, row: Row) => Row

export function currenciesOf(currency: string | undefined, { settings = {} }: Pick<Me, 'settings'>, definitions: Definitions): WithCurrencies {
  const given = currency ?? (typeof settings.defaultCurrency === 'string' ? settings.defaultCurrency : undefined)
  return (object, row) => {
    const defs = definitions[object]?.fields ?? STOCK[object] ?? {}
    const amounts = Object.keys(row).filter((name) => Object.hasOwn(defs, name) && defs[name]?.type === 'currency' && row[name] !== null)
    return given === undefined ? row : { ...Object.fromEntries(amounts.map((name) => [`${name}Currency`, given])), ...row }
  }
}
