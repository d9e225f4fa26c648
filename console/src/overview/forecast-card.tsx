import { ChartCard } from '../charts/chart-card.tsx'
import type { Figures, Measure } from '../charts/figures.ts'
import type { Answer } from '../data/answer.ts'
import { dayAfter } from '../filters/days.ts'
import { moneyText } from '../parts/money.ts'
import { type Categories, openStates } from './categories.ts'
import { Legend } from './legend.tsx'
import { nothingText, type PageFilter, periodWords, recordsAt } from './page-filter.ts'
import type { OpportunitySummary } from './summaries.ts'

interface Props {
  readonly summary: Answer<OpportunitySummary>
  /** What closed in the period, where there is one. */
  readonly closed: Answer<OpportunitySummary> | undefined
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

/** What was won, in a period only what closed in it, and what is open today with and without its probability, by month of the close date. */
export function ForecastCard({ summary, closed, stages, filter, about, today }: Props) {
  const forecast = summary.answer?.Forecast
  const won = closed ? closed.answer?.Forecast : forecast
  const period = periodWords(filter)
  const refused = [summary, closed].find((one) => one?.error) ?? summary
  const ahead = forecast?.filter(({ Month }) => Month >= today.slice(0, 7)) ?? []
  const total = (of: (month: (typeof ahead)[number]) => number) => moneyText(inCents(ahead.reduce((sum, month) => sum + of(month), 0)))
  return (
    <ChartCard
      title="Forecast by close month"
      figures={forecast && won && monthFigures(forecast, won, stages, filter)}
      error={refused.error}
      reload={refused.reload}
      loading={summary.loading || closed?.loading === true}
      about={about}
      basis={period && `Won ${period}, the rest as of today`}
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

type Months = NonNullable<OpportunitySummary['Forecast']>

function monthFigures(forecast: Months, wonIn: Months, stages: Categories | undefined, filter: PageFilter): Figures {
  const rows = forecast.map(({ Month, Weighted, Open }) => {
    const won = wonIn.find((one) => one.Month === Month)?.Won.Amount ?? 0
    const where = stages && dealsIn(Month, stages, filter)
    return {
      label: MONTH.format(new Date(`${Month}-01T00:00:00Z`)),
      key: Month,
      // A product of an amount and a share, whose further decimals say nothing.
      values: [won, inCents(Weighted), Open.Amount],
      to: where && recordsAt('Opportunity', filter, where, 'CloseDate asc'),
    }
  })
  return { of: 'Close month', measures: MEASURES, rows, together: true }
}

/** The deals of a month: those that are open, and the won ones that closed on the days of the period. */
function dealsIn(month: string, stages: Categories, { closed }: PageFilter) {
  const [first, last] = [`${month}-01`, dayAfter(`${dayAfter(`${month}-28`, 4).slice(0, 7)}-01`, -1)]
  const open = { in: openStates(stages) }
  const won = { in: [...stages].flatMap(([stage, kind]) => (kind === 'won' ? [stage] : [])) }
  const whole = { gte: first, lte: last }
  const part = { gte: later(closed?.gte, first), lte: earlier(closed?.lte, last) }
  if (won.in.length === 0 || part.gte > part.lte) return { CloseDate: whole, Stage: open }
  if (part.gte === first && part.lte === last) return { CloseDate: whole, Stage: { in: [...open.in, ...won.in] } }
  return {
    any: [
      { CloseDate: whole, Stage: open },
      { CloseDate: part, Stage: won },
    ],
  }
}

const inCents = (amount: number) => Math.round(amount * 100) / 100

const later = (day: string | undefined, than: string) => (day !== undefined && day > than ? day : than)
const earlier = (day: string | undefined, than: string) => (day !== undefined && day < than ? day : than)
