import { DAY_MS } from '../../dates.ts'

type Unit = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR'

/** Months in each unit that is counted in months. */
const MONTHS = { MONTH: 1, QUARTER: 3, YEAR: 12 } as const

/** The start of the unit that is `ahead` units from the current one. Weeks begin on Sunday; the zone is UTC. */
function start(moment: Date, unit: Unit, ahead: number): number {
  const midnight = Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate())
  if (unit === 'DAY') return midnight + ahead * DAY_MS
  if (unit === 'WEEK') return midnight + (ahead * 7 - moment.getUTCDay()) * DAY_MS
  const months = MONTHS[unit]
  return Date.UTC(moment.getUTCFullYear(), (Math.floor(moment.getUTCMonth() / months) + ahead) * months, 1)
}

/** Ranges of days relative to today; the end is exclusive. */
const DAYS: { readonly [name: string]: readonly [number, number] } = {
  YESTERDAY: [-1, 0],
  TODAY: [0, 1],
  TOMORROW: [1, 2],
  LAST_90_DAYS: [-90, 1],
  NEXT_90_DAYS: [1, 91],
}

/** The range of a date literal such as LAST_N_DAYS:3, end exclusive; undefined for an unknown name. */
export function spanOf(name: string, count: number, now: Date): readonly [number, number] | undefined {
  const days = DAYS[name]
  if (days) return [start(now, 'DAY', days[0]), start(now, 'DAY', days[1])]
  const [, which, unit] = /^(THIS|LAST|NEXT)_(?:FISCAL_)?(WEEK|MONTH|QUARTER|YEAR)$/.exec(name) ?? []
  if (which) {
    const ahead = which === 'THIS' ? 0 : which === 'LAST' ? -1 : 1
    return [start(now, unit as Unit, ahead), start(now, unit as Unit, ahead + 1)]
  }
  const [, direction, units] = /^(LAST|NEXT)_N_(?:FISCAL_)?(DAY|WEEK|MONTH|QUARTER|YEAR)S$/.exec(name) ?? []
  const [, ago] = /^N_(?:FISCAL_)?(DAY|WEEK|MONTH|QUARTER|YEAR)S_AGO$/.exec(name) ?? []
  const unitOf = (units ?? ago) as Unit | undefined
  if (!unitOf || count > 100_000) return undefined
  if (ago) return [start(now, unitOf, -count), start(now, unitOf, 1 - count)]
  // LAST_N_DAYS includes today; LAST_N_WEEKS, _MONTHS and so on end before the current one.
  return direction === 'LAST'
    ? [start(now, unitOf, -count), start(now, unitOf, unitOf === 'DAY' ? 1 : 0)]
    : [start(now, unitOf, 1), start(now, unitOf, count + 1)]
}

const on = (value: string) => new Date(`${value.slice(0, 10)}T00:00:00Z`)
const dayOfYear = (value: string) => Math.floor((on(value).getTime() - Date.UTC(on(value).getUTCFullYear(), 0, 1)) / DAY_MS) + 1

/** Date functions, in UTC. */
export const DATE_FUNCTIONS: { readonly [name: string]: (value: string) => number | string } = {
  CALENDAR_YEAR: (value) => on(value).getUTCFullYear(),
  CALENDAR_QUARTER: (value) => Math.floor(on(value).getUTCMonth() / 3) + 1,
  CALENDAR_MONTH: (value) => on(value).getUTCMonth() + 1,
  FISCAL_YEAR: (value) => on(value).getUTCFullYear(),
  FISCAL_QUARTER: (value) => Math.floor(on(value).getUTCMonth() / 3) + 1,
  FISCAL_MONTH: (value) => on(value).getUTCMonth() + 1,
  DAY_IN_MONTH: (value) => on(value).getUTCDate(),
  DAY_IN_WEEK: (value) => on(value).getUTCDay() + 1,
  DAY_IN_YEAR: dayOfYear,
  DAY_ONLY: (value) => value.slice(0, 10),
  HOUR_IN_DAY: (value) => Number(value.slice(11, 13)),
  WEEK_IN_MONTH: (value) => Math.ceil(on(value).getUTCDate() / 7),
  WEEK_IN_YEAR: (value) => Math.ceil(dayOfYear(value) / 7),
}
