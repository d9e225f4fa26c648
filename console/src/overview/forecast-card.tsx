import { ChartCard } from '../charts/chart-card.tsx'
import type { Figures, Measure } from '../charts/figures.ts'
import type { Answer } from '../data/answer.ts'
import { dayAfter } from '../filters/days.ts'
import { moneyText } from '../parts/money.ts'
import { type Categories, openStates } from './categories.ts'
import { Legend } from './legend.tsx'
import { nothingText, type PageFilter, recordsAt } from './page-filter.ts'
import type { OpportunitySummary } from './summaries.ts'

interface Props {
  readonly summary: Answer<OpportunitySummary>
  readonly stages: Categories | undefined
  readonly filter: PageFilter
  readonly about: string
  readonly today: string
}

const MEASURES = [
  { name: 'Won', kind: 'money', hue: 'won' },
  { name: 'Weighted', kind: 'money', hue: 'plain' },
  { name: 'Open', kind: 'money', hue: 'partial' },
] as const satisfies readonly Measure[]

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: '2-digit', timeZone: 'UTC' })

/** What was won, and what is open with and without its probability, by month of the close date. */
export function ForecastCard({ summary, stages, filter, about, today }: Props) {
  const forecast = summary.answer?.Forecast
  const ahead = forecast?.filter(({ Month }) => Month >= today.slice(0, 7)) ?? []
  const total = (of: (month: (typeof ahead)[number]) => number) => moneyText(Math.round(ahead.reduce((sum, month) => sum + of(month), 0) * 100) / 100)
  return (
    <ChartCard
      title="Forecast by close month"
      figures={forecast && monthFigures(forecast, stages, filter)}
      error={summary.error}
      reload={summary.reload}
      loading={summary.loading}
      about={about}
      nothing={nothingText(filter, 'opportunities that close in these months', 'No opportunities close in these months.')}
      legend={<Legend hues={MEASURES.map(({ name, hue }) => [name, hue])} />}
      note={
        forecast && (
          <span>
            From this month on: {total(({ Weighted }) => Weighted)} weighted of {total(({ Open }) => Open.Amount)} open
          </span>
        )
      }
    />
  )
}

function monthFigures(forecast: NonNullable<OpportunitySummary['Forecast']>, stages: Categories | undefined, filter: PageFilter): Figures {
  const rows = forecast.map(({ Month, Won, Weighted, Open }) => {
    const next = `${dayAfter(`${Month}-28`, 4).slice(0, 7)}-01`
    const kinds = stages && [...openStates(stages), ...[...stages].flatMap(([stage, kind]) => (kind === 'won' ? [stage] : []))]
    return {
      label: MONTH.format(new Date(`${Month}-01T00:00:00Z`)),
      key: Month,
      values: [Won.Amount, Weighted, Open.Amount],
      to: kinds && recordsAt('Opportunity', filter, { CloseDate: { gte: `${Month}-01`, lt: next }, Stage: { in: kinds } }, 'CloseDate asc'),
    }
  })
  return { of: 'Close month', measures: MEASURES, rows, together: true }
}
