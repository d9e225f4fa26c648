import { LARGEST_MONEY, LIMITS } from './limits.ts'

/** The amount without floating-point errors; undefined where it has more digits than are stored. */
export function exactMoney(value: number): number | undefined {
  if (!Number.isFinite(value) || Math.abs(value) > LARGEST_MONEY) return undefined
  const rounded = Number(value.toFixed(LIMITS.moneyDecimals))
  const noise = Math.abs(value - rounded) <= 2 * Number.EPSILON * Math.abs(value)
  return noise && Number(value.toPrecision(LIMITS.moneyDigits)) === rounded ? rounded : undefined
}

/** An exact amount in ten-thousandths. */
export function scaled(amount: number): bigint {
  return BigInt(amount.toFixed(LIMITS.moneyDecimals).replace('.', ''))
}

/** An amount as sums have it, in ten-thousandths; null where there is none, or one that is larger than money may be: a CRM may have such, and its record alone shows it. */
export const summed = (amount: unknown): bigint | null => (typeof amount === 'number' && Math.abs(amount) <= LARGEST_MONEY ? scaled(amount) : null)

/** Ten-thousandths as the nearest number. */
export function unscaled(amount: bigint): number {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(LIMITS.moneyDecimals + 1, '0')
  const point = digits.length - LIMITS.moneyDecimals
  return Number(`${sign}${digits.slice(0, point)}.${digits.slice(point)}`)
}

/** The mean of an exact sum, rounded half away from zero to the stored decimals. */
export function mean(sum: bigint, count: number): number {
  const n = BigInt(count)
  const twice = 2n * (sum < 0n ? -sum : sum)
  const rounded = (twice + n) / (2n * n)
  return unscaled(sum < 0n ? -rounded : rounded)
}
