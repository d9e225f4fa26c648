export const DAY_MS = 86_400_000

export const isCalendarDay = (day: string) => isCalendarTime(`${day}T00:00:00Z`)

/** Whether a UTC time is on a day that exists; Date.parse alone takes the 30th of February for a day in March, and 24:00 for the next day. */
export function isCalendarTime(iso: string): boolean {
  const ms = Date.parse(iso)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(iso.slice(0, 10))
}
