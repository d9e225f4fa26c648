import { usePeople } from '../data/people.tsx'

const NUMBERS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 })
const MONEY = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 })
const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

export const numberText = (value: number) => NUMBERS.format(value)
export const moneyText = (value: number) => MONEY.format(value)
export const compactText = (value: number) => COMPACT.format(value)
export const momentText = (iso: string) => MOMENT.format(new Date(iso))
export const dayText = (day: string) => DAY.format(new Date(`${day}T00:00:00Z`))

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const

export function relativeText(iso: string, now = Date.now()): string {
  let distance = (Date.parse(iso) - now) / 1000
  for (const [unit, size] of STEPS) {
    if (Math.abs(distance) < size) return RELATIVE.format(Math.round(distance), unit)
    distance /= size
  }
  return momentText(iso)
}

/** How long ago it was; when exactly shows on hovering. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={momentText(at)}>
      {relativeText(at)}
    </time>
  )
}

export function Person({ id }: { readonly id: string }) {
  const { nameOf } = usePeople()
  return <span title={id}>{nameOf(id)}</span>
}
