import { LIMITS } from 'crm-connector/contract'
import { useState } from 'react'
import type { Answer } from '../data/answer.ts'
import { useAnswer } from '../data/answer.ts'
import { dayAfter } from '../filters/days.ts'
import { StateBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { moneyText } from '../parts/money.ts'
import { Card } from '../parts/page.tsx'
import { Nothing, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { daysAwayText, dayText, numberText, Person } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { type Categories, openStates } from './categories.ts'
import { nothingText, type PageFilter, recordsAt } from './page-filter.ts'
import { RecordLink } from './record-link.tsx'
import type { OpportunitySummary } from './summaries.ts'
import './due-card.css'

interface Props {
  readonly summary: Answer<OpportunitySummary>
  readonly stages: Categories | undefined
  readonly filter: PageFilter
  readonly today: string
}

const SHOWN = 20
const VIEWS = [
  { id: 'overdue', label: 'Overdue' },
  { id: 'soon', label: 'Soon' },
] as const

/** The open opportunities that are overdue or close soon: exactly those that the summary counts. */
export function DueCard({ summary, stages: categories, filter, today }: Props) {
  const { crm } = useSession()
  const [view, setView] = useState<'overdue' | 'soon'>('overdue')
  const days = view === 'overdue' ? { lt: today } : { gte: today, lte: dayAfter(today, LIMITS.closingSoonDays) }
  // In an order that the summary does not change, since another question would be asked again.
  const where = { CloseDate: days, Stage: { in: categories ? openStates(categories).toSorted() : [] } }
  const whole = {
    ...(filter.owner && { OwnerID: filter.owner }),
    ...where,
  }
  const list = useAnswer(
    async (signal) =>
      categories ? { view, ...(await crm.opportunities.getMany({ Filters: whole, OrderBy: 'CloseDate asc', Limit: SHOWN }, { signal })) } : undefined,
    // The summary changes whenever events arrive, so the list is reloaded with it.
    [crm, categories === undefined, JSON.stringify(whole), summary.answer],
  )
  const counted = summary.answer?.[view === 'overdue' ? 'Overdue' : 'ClosingSoon']
  const rows = list.answer?.view === view ? list.answer.Records : undefined
  const refused = [summary, list].find((one) => one.error)
  const all = recordsAt('Opportunity', filter, where, 'CloseDate asc')
  return (
    <Card title="What is due" acts={<Tabs label="What is due" tabs={VIEWS} shown={view} onShow={setView} />}>
      <div className="overview-list">
        {refused ? (
          <div className="chart-fault">
            <RefusalLine error={refused.error} />
            <Button small icon="reload" onClick={refused.reload}>
              Try again
            </Button>
          </div>
        ) : !rows ? (
          <Skeleton height="100%" />
        ) : rows.length === 0 ? (
          <Nothing whole>
            {view === 'overdue'
              ? nothingText(filter, 'overdue opportunities', 'Nothing is overdue.')
              : nothingText(
                  filter,
                  `opportunities that close within ${LIMITS.closingSoonDays} days`,
                  `Nothing closes within the next ${LIMITS.closingSoonDays} days.`,
                )}
          </Nothing>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          <section className="overview-scroll" aria-label={view === 'overdue' ? 'Overdue opportunities' : 'Opportunities closing soon'} tabIndex={0}>
            <ul>
              {rows.map(({ OpportunityID, OpportunityName, Stage, CloseDate, Amount, OwnerID }) => (
                <li key={OpportunityID} className="due-row">
                  <RecordLink type="Opportunity" id={OpportunityID} mayRead={filter.mayRead} className="overview-name">
                    {OpportunityName}
                  </RecordLink>
                  <span className="due-amount">{Amount === null ? '' : moneyText(Amount)}</span>
                  <small className="soft">
                    <time dateTime={CloseDate} title={dayText(CloseDate)}>
                      {daysText(CloseDate, today)}
                    </time>{' '}
                    · <Person id={OwnerID} />
                  </small>
                  <StateBadge value={Stage} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <p className="chart-note soft">
        {all && counted && counted.Count > 0 ? (
          <Link to={all.path} query={all.query}>
            {numberText(counted.Count)} {counted.Count === 1 ? 'deal' : 'deals'} · {moneyText(counted.Amount)}
          </Link>
        ) : (
          ' '
        )}
      </p>
    </Card>
  )
}

/** `212 days overdue`, `closes tomorrow`. */
function daysText(day: string, today: string): string {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / 86_400_000)
  return days < 0 ? `${numberText(-days)} ${days === -1 ? 'day' : 'days'} overdue` : `closes ${daysAwayText(days)}`
}
