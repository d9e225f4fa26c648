import type { Me } from './api.ts'

/** What is wrong with the currency that the options name, and what to do about it; undefined if it is right, or the settings cannot be read. */
export function wrongCurrency(
  currency: string | undefined,
  { settings = {} }: Pick<Me, 'settings'>,
): { readonly text: string; readonly todo: string } | undefined {
  const known = Array.isArray(settings.currencyList) ? settings.currencyList.map(String) : []
  if (currency === undefined || known.length === 0 || known.includes(currency)) return undefined
  return {
    text: `EspoCRM has no currency ${JSON.stringify(currency)}.`,
    todo: `Set the option currency to one of ${known.join(', ')}, or add it in EspoCRM (Administration, Currency).`,
  }
}
