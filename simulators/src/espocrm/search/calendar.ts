import { DAY_MS } from '../../dates.ts'
import { badRequest } from '../errors.ts'
import { timestamp } from '../store.ts'

/** The offset of a time zone from UTC, in milliseconds. */
function ahead(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' }).formatToParts(at)
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - Math.floor(at / 1000) * 1000
}

/** A calendar in a time zone. */
export class Calendar {
  readonly timeZone: string
  readonly now: number

  constructor(now: number, timeZone = 'UTC') {
    this.now = now
    this.timeZone = timeZone
    try {
      ahead(now, timeZone)
    } catch {
      throw badRequest('Bad timezone')
    }
  }

  /** Today in the zone, or `shift` days later. */
  day(shift = 0): string {
    return new Date(this.now + ahead(this.now, this.timeZone) + shift * DAY_MS).toISOString().slice(0, 10)
  }

  /** The first day of a month in the zone; months may exceed the year. */
  month(shift = 0, from = Number(this.day().slice(5, 7))): string {
    return new Date(Date.UTC(Number(this.day().slice(0, 4)), from - 1 + shift, 1)).toISOString().slice(0, 10)
  }

  /** A local date or time in UTC milliseconds. */
  moment(local: string): number {
    const at = Date.parse(`${local.length <= 10 ? `${local} 00:00:00` : local}`.replace(' ', 'T').concat('Z'))
    if (Number.isNaN(at)) throw badRequest('Bad date value or timezone.')
    return at - ahead(at - ahead(at, this.timeZone), this.timeZone)
  }

  utc(local: string, seconds = 0): string {
    return timestamp(this.moment(local) + seconds * 1000)
  }
}

type Range = readonly [from: string | undefined, to: string | undefined, toIncluded?: boolean]

/** The date ranges of filters; the end is exclusive. */
const RANGES: { readonly [type: string]: (calendar: Calendar, days: number) => Range } = {
  today: (calendar) => [calendar.day(), calendar.day(1)],
  past: (calendar) => [undefined, calendar.day()],
  future: (calendar) => [calendar.day(1), undefined],
  lastSevenDays: (calendar) => [calendar.day(-7), calendar.day(1)],
  lastXDays: (calendar, days) => [calendar.day(-days), calendar.day(1)],
  nextXDays: (calendar, days) => [calendar.day(), calendar.day(days + 1)],
  olderThanXDays: (calendar, days) => [undefined, calendar.day(-days)],
  afterXDays: (calendar, days) => [calendar.day(days + 1), undefined],
  currentMonth: (calendar) => [calendar.month(), calendar.month(1)],
  lastMonth: (calendar) => [calendar.month(-1), calendar.month()],
  nextMonth: (calendar) => [calendar.month(1), calendar.month(2)],
  currentQuarter: (calendar) => [calendar.month(0, quarter(calendar)), calendar.month(3, quarter(calendar))],
  lastQuarter: (calendar) => [calendar.month(-3, quarter(calendar)), calendar.month(0, quarter(calendar))],
  currentYear: (calendar) => [calendar.month(0, 1), calendar.month(12, 1)],
  lastYear: (calendar) => [calendar.month(-12, 1), calendar.month(0, 1)],
}

const quarter = (calendar: Calendar) => Math.floor((Number(calendar.day().slice(5, 7)) - 1) / 3) * 3 + 1

/** The range of a filter such as `lastMonth`; undefined for other filters. */
export function rangeOf(type: string, calendar: Calendar, days: number): Range | undefined {
  return Object.hasOwn(RANGES, type) ? RANGES[type]?.(calendar, Number.isSafeInteger(days) && Math.abs(days) < 1_000_000 ? days : 0) : undefined
}
