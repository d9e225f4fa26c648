/** `2026-10-06`. */
export type Day = string

/** The first and the last day. */
export type Days = readonly [Day, Day]

const DAY_MS = 86_400_000

const utc = (year: number, month: number, day: number): Day => new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)
export const dayAfter = (day: Day, days: number): Day => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

function monthOf(today: Day, later: number): Days {
  const [year = 0, month = 0] = today.split('-').map(Number)
  return [utc(year, month - 1 + later, 1), utc(year, month + later, 0)]
}
const yearOf = (today: Day, later: number): Days => {
  const year = Number(today.slice(0, 4)) + later
  return [utc(year, 0, 1), utc(year, 11, 31)]
}

/** The same day a year before; of 29 February the 28th. */
const yearBefore = (day: Day): Day => `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4).replace('-02-29', '-02-28')}`

interface Period {
  readonly words: string
  readonly days: (today: Day) => Days
  readonly ahead?: true
}

/** Periods relative to today, which `{ "CreatedDate": { "within": "last30Days" } }` names: a view that is opened later shows the days of then. */
export const PERIODS: { readonly [name: string]: Period } = {
  today: { words: 'is today', days: (today) => [today, today] },
  yesterday: { words: 'is yesterday', days: (today) => [dayAfter(today, -1), dayAfter(today, -1)] },
  last7Days: { words: 'is in the last 7 days', days: (today) => [dayAfter(today, -6), today] },
  last30Days: { words: 'is in the last 30 days', days: (today) => [dayAfter(today, -29), today] },
  last90Days: { words: 'is in the last 90 days', days: (today) => [dayAfter(today, -89), today] },
  last12Months: { words: 'is in the last 12 months', days: (today) => [dayAfter(yearBefore(today), 1), today] },
  thisMonth: { words: 'is this month', days: (today) => monthOf(today, 0) },
  lastMonth: { words: 'is last month', days: (today) => monthOf(today, -1) },
  thisYear: { words: 'is this year', days: (today) => yearOf(today, 0) },
  lastYear: { words: 'is last year', days: (today) => yearOf(today, -1) },
  tomorrow: { words: 'is tomorrow', days: (today) => [dayAfter(today, 1), dayAfter(today, 1)], ahead: true },
  next7Days: { words: 'is in the next 7 days', days: (today) => [today, dayAfter(today, 6)], ahead: true },
  next30Days: { words: 'is in the next 30 days', days: (today) => [today, dayAfter(today, 29)], ahead: true },
  nextMonth: { words: 'is next month', days: (today) => monthOf(today, 1), ahead: true },
}

export const isDay = (value: unknown): value is Day => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))

/** The first moment of a day where the browser is. */
export function startOf(day: Day): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return new Date(year, month - 1, date).toISOString()
}

/** Today where the browser is. */
export const localToday = (now = new Date()): Day => utc(now.getFullYear(), now.getMonth(), now.getDate())
