import type { FigureRow, Figures } from '../charts/figures.ts'
import { type PageFilter, recordsAt, within } from './page-filter.ts'

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' })

const monthAfter = (month: string) => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return number === 12 ? `${String(year + 1).padStart(4, '0')}-01` : `${month.slice(0, 4)}-${String(number + 1).padStart(2, '0')}`
}

const COUNT = [{ name: 'Count', kind: 'count' }] as const

/** Records by the month of their creation, including months without any; the current month is drawn lighter. */
export function monthFigures(type: string, byMonth: readonly { readonly Month: string; readonly Count: number }[], filter: PageFilter, today: string): Figures {
  const counts = new Map(byMonth.map(({ Month, Count }) => [Month, Count]))
  const current = today.slice(0, 7)
  // A custom period may start long before the first record; those empty months are left out.
  const requested = filter.period === 'custom' ? undefined : filter.created?.gte?.slice(0, 7)
  const first = [requested, byMonth[0]?.Month].filter((month) => month !== undefined).sort()[0]
  const last = [byMonth.at(-1)?.Month, lastRequested(filter, current)]
    .filter((month) => month !== undefined)
    .sort()
    .at(-1)
  const rows: FigureRow[] = []
  for (let month = first; month !== undefined && last !== undefined && byMonth.length > 0 && month <= last; month = monthAfter(month)) {
    const span = within(filter.created, { gte: `${month}-01T00:00:00.000Z`, lt: `${monthAfter(month)}-01T00:00:00.000Z` })
    rows.push({
      label: MONTH.format(new Date(`${month}-01T00:00:00Z`)),
      key: month,
      values: [counts.get(month) ?? 0],
      hue: month === current ? 'partial' : 'plain',
      to: recordsAt(type, filter, { CreatedDate: span }),
    })
  }
  return { of: 'Month', measures: COUNT, rows }
}

/** The last month of the period, at most the current one. */
function lastRequested({ created }: PageFilter, current: string): string {
  if (created?.lt === undefined) return current
  const last = new Date(Date.parse(created.lt) - 1).toISOString().slice(0, 7)
  return last < current ? last : current
}
