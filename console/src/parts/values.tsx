import { useCallback, useSyncExternalStore } from 'react'
import { usePeople } from '../data/people-names.ts'
import { onTick } from './ticking.ts'
import { Words } from './words.tsx'

/** Numbers and dates are those of the browser, the words around them English, with digits of the same script. */
const WORDS = new Intl.Locale('en', { numberingSystem: new Intl.NumberFormat().resolvedOptions().numberingSystem })
const NUMBERS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 })
const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
/** `auto` gives `yesterday`. Months and years use numbers, since `last year` may be a day or two years ago. */
const formats = (style: 'long' | 'short') => ({
  near: new Intl.RelativeTimeFormat(WORDS, { numeric: 'auto', style }),
  far: new Intl.RelativeTimeFormat(WORDS, { numeric: 'always', style }),
})
const RELATIVE = { long: formats('long'), short: formats('short') }
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const WEEKDAY = new Intl.DateTimeFormat(WORDS, { weekday: 'long' })
const LONG_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

export const numberText = (value: number) => NUMBERS.format(value)
export const compactText = (value: number) => COMPACT.format(value)
export const momentText = (iso: string) => MOMENT.format(new Date(iso))
/** `Tuesday, November 17, 2026`, where the browser is. */
export const weekdayText = (at: Date) => `${WEEKDAY.format(at)}, ${LONG_DAY.format(at)}`
/** How many days from now, from -1 to 1 as `yesterday`, `today` and `tomorrow`. */
export const daysAwayText = (days: number) => RELATIVE.long.near.format(days, 'day')
export const dayText = (day: string) => DAY.format(new Date(`${day}T00:00:00Z`))

/** The units: `most` is the limit for showing it, `size` how many make one of the next unit. */
const STEPS = [
  { unit: 'second', most: 60, size: 60, format: 'near' },
  { unit: 'minute', most: 60, size: 60, format: 'near' },
  { unit: 'hour', most: 24, size: 24, format: 'near' },
  { unit: 'day', most: 30, size: 30, format: 'near' },
  { unit: 'month', most: 24, size: 12, format: 'far' },
  { unit: 'year', most: Number.POSITIVE_INFINITY, size: 1, format: 'far' },
] as const

export function relativeText(iso: string, style: keyof typeof RELATIVE = 'long'): string {
  let distance = (Date.parse(iso) - Date.now()) / 1000
  for (const { unit, most, size, format } of STEPS) {
    if (Math.abs(distance) < most) return RELATIVE[style][format].format(Math.round(distance), unit)
    distance /= size
  }
  return momentText(iso)
}

/** A relative time that stays up to date; the tooltip has the exact time. One that is `past` by a clock that may be ahead of ours is never in the future. */
export function Time({ at, past = false }: { readonly at: string; readonly past?: boolean }) {
  const text = useSyncExternalStore(
    onTick,
    useCallback(() => relativeText(past && Date.parse(at) > Date.now() ? new Date().toISOString() : at), [at, past]),
  )
  return (
    <time dateTime={at} title={momentText(at)}>
      {text}
    </time>
  )
}

export function Person({ id }: { readonly id: string }) {
  const { nameOf } = usePeople()
  return (
    <span title={id}>
      <Words>{nameOf(id)}</Words>
    </span>
  )
}
