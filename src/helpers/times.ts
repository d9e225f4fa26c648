const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))$/

/** Whether a text is a day of the calendar, YYYY-MM-DD. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? []
  if (year === undefined) return false
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
}

/** A moment in ISO 8601 with a zone (`Z`, `+02:00` or `+0000`) as the UTC text that records carry; undefined for anything else. */
export function utcOf(text: string): string | undefined {
  const match = TIMESTAMP.exec(text)
  if (!match) return undefined
  const [, day = '', hours = '', minutes = '', seconds = '00', fraction = '', , sign, zoneHours = '0', zoneMinutes = '0'] = match
  if (!isDate(day) || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59 || Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return undefined
  const local = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000 * (sign === '-' ? -1 : 1)
  const utc = new Date(local - offset)
  const year = utc.getUTCFullYear()
  return year < 0 || year > 9999 ? undefined : utc.toISOString()
}
