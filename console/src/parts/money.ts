/** The currency says how many decimals an amount has at least. */
function formatsIn(currency?: string) {
  const own = currency === undefined ? {} : ({ style: 'currency', currency } as const)
  return {
    exact: new Intl.NumberFormat(undefined, { ...(currency === undefined ? { minimumFractionDigits: 2 } : own), maximumFractionDigits: 4 }),
    whole: new Intl.NumberFormat(undefined, { ...own, maximumFractionDigits: 0 }),
    compact: new Intl.NumberFormat(undefined, { ...own, notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 1 }),
  }
}

let formats = formatsIn()

/** Sets the currency that all amounts are shown in, by its code; plain numbers without one. */
export function setCurrency(currency: string | undefined): void {
  formats = formatsIn(currency)
}

export const moneyText = (value: number) => formats.exact.format(value)
export const wholeMoneyText = (value: number) => formats.whole.format(value)
export const compactMoneyText = (value: number) => formats.compact.format(value)
