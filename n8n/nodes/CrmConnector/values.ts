import type { Kind } from './tables.ts'

/** A value of n8n as the contract takes it. Invalid values are passed on, for the service to refuse with its own message. */
export function valueAs(kind: Kind, given: unknown, zone: string): unknown {
  const value = picked(given)
  if (value === null || value === undefined) return value
  return READ[kind](value, zone)
}

/** The value of a resource locator. */
export function picked(given: unknown): unknown {
  return isObject(given) && given.__rl === true ? given.value : given
}

const READ: { readonly [kind in Kind]: (value: unknown, zone: string) => unknown } = {
  text: (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : (isoOf(value) ?? value)),
  number: (value) => (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value),
  boolean: (value) => (value === 'true' ? true : value === 'false' ? false : value),
  date: (value) => dayOf(isoOf(value) ?? value),
  timestamp: (value, zone) => zoned(isoOf(value) ?? value, zone),
  list: (value) => listOf(value),
}

/** The path of a NaN or infinite number: as JSON it would become null, which clears a field. */
export function notFinite(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path.join('.')
  if (!isObject(value)) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = notFinite(member, [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}

/** Several values, from a list or a comma-separated text. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.map(picked)
  if (typeof value !== 'string') return value === undefined || value === null ? [] : [value]
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** The text of a time: expressions and pickers return a Luxon object, a Date or a text. */
function isoOf(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString()
  if (isObject(value) && typeof value.toISO === 'function') return String(value.toISO() ?? 'Invalid DateTime')
  return typeof value === 'string' ? value : undefined
}

const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/

/** The date part of a time, in the zone as written. */
const dayOf = (value: unknown) => (typeof value === 'string' && MOMENT.test(value) ? value.slice(0, 10) : value)

const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/

/** A time without a zone is in the zone of the workflow. */
function zoned(value: unknown, zone: string): unknown {
  if (typeof value !== 'string' || !WITHOUT_ZONE.test(value)) return value
  const wall = Date.parse(`${value.length === 10 ? `${value}T00:00` : value.replace(' ', 'T')}Z`)
  // Date.parse would turn February 30 into March 2; such a value is left for the service to refuse.
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== value.slice(0, 10)) return value
  // The offset is taken at the resulting time, since a clock change may lie between it and the first estimate.
  const near = wall - offsetAt(wall, zone)
  return new Date(wall - offsetAt(near, zone)).toISOString()
}

/** The UTC offset of a zone at a time, in milliseconds. */
function offsetAt(time: number, zone: string): number {
  const form = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const parts = Object.fromEntries(form.formatToParts(time).map(({ type, value }) => [type, Number(value)])) as { [part: string]: number }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000
}

export const isObject = (value: unknown): value is { [member: string]: unknown } => typeof value === 'object' && value !== null
