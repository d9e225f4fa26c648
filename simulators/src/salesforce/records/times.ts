import { isCalendarDay } from '../../dates.ts'

/** A time as the API writes it, to the second: `2026-05-01T07:25:37.000+0000`. The texts sort chronologically. */
export const writeTime = (moment: Date | number) => `${new Date(Math.floor(Number(moment) / 1000) * 1000).toISOString().slice(0, -1)}+0000`

/** The same with milliseconds, for comparisons. */
export const exactTime = (moment: number) => `${new Date(moment).toISOString().slice(0, -1)}+0000`

const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/i

/** The time of a text, in milliseconds; undefined if invalid. Without a zone it is in UTC, the zone of the org. */
export function readTime(text: string): number | undefined {
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = TIME.exec(text) ?? []
  if (year === undefined || !readDate(`${year}-${month}-${day}`) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? []
  return at - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** The date, if it exists and is within the range of Salesforce. */
export function readDate(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1700-01-01' || text > '4000-12-31') return undefined
  return isCalendarDay(text) ? text : undefined
}
