import { useMemo } from 'react'
import { usePeople } from '../data/people-names.ts'
import { localToday } from '../filters/days.ts'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Time } from '../parts/values.tsx'
import { go, useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { ActivityCard } from './activity-card.tsx'
import { CasesCard } from './cases-card.tsx'
import { useCategories } from './categories.ts'
import { CreatedCard } from './created-card.tsx'
import { DueCard } from './due-card.tsx'
import { FilterBar } from './filter-bar.tsx'
import { ForecastCard } from './forecast-card.tsx'
import { GetStarted } from './get-started.tsx'
import { Headline } from './headline.tsx'
import { LeadsByMonth, LeadsByStatus } from './lead-cards.tsx'
import { useMayRead } from './may-read.ts'
import { dayOf, isEmptyPeriod, pageFilterOf, periodWords } from './page-filter.ts'
import { PipelineCard } from './pipeline-card.tsx'
import { type Summaries, useSummaries } from './summaries.ts'
import './overview.css'

export function Overview() {
  const { may } = useSession()
  const { nameOf } = usePeople()
  const { query } = useRoute()
  const today = dayOf(Date.now())
  const day = localToday()
  const mayRead = useMayRead()
  const filter = useMemo(() => pageFilterOf(query, mayRead, day), [query, mayRead, day])
  const summaries = useSummaries(filter)
  const { leads, opportunities, created, closed, cases } = summaries
  const stages = useCategories(
    'Opportunity',
    opportunities?.answer && [...opportunities.answer.ByStage, ...(closed?.answer?.ByStage ?? [])].map(({ Stage }) => Stage),
  )
  const statuses = useCategories(
    'Case',
    cases?.answer?.summary.ByStatus.map(({ Status }) => Status),
  )
  const about = filter.owner ? nameOf(filter.owner) : 'Everyone'
  const shared = { filter, about, today }
  const isEmptyStore = filter.owner === undefined && filter.created === undefined && isEmpty(summaries)
  /** Whether the key allows any figures. */
  const hasFigures = leads !== undefined || opportunities !== undefined || cases !== undefined
  const emptyPeriod = isEmptyPeriod(filter)
  const figures = !isEmptyStore && !emptyPeriod
  const activity = (may('get_many_changes') || may('get_many_events')) && <ActivityCard narrowed={filter.owner !== undefined || filter.created !== undefined} />
  // The due card has the most room; without it the activity takes its place.
  const due =
    figures && opportunities && may('get_many_opportunities') ? <DueCard summary={opportunities} stages={stages} filter={filter} today={today} /> : undefined

  return (
    <Page
      title="Overview"
      about={isEmptyStore ? undefined : <About asOf={asOfIn(summaries)} period={figures ? periodWords(filter) : undefined} />}
      acts={hasFigures && !isEmptyStore && <FilterBar filter={filter} />}
    >
      {emptyPeriod ? (
        <Empty icon="overview" title="The period is empty" act={<Button onClick={() => go([])}>Reset</Button>}>
          From is after To. Swap the two dates or remove one.
        </Empty>
      ) : isEmptyStore ? (
        <GetStarted />
      ) : (
        <Headline {...summaries} filter={filter} today={today} stages={stages} statuses={statuses} />
      )}
      <div className={`overview-grid${!figures ? ' overview-grid-one' : opportunities && leads ? '' : ' overview-grid-few'}`}>
        {figures && opportunities && <PipelineCard summary={opportunities} closed={closed} stages={stages} {...shared} />}
        {due ?? activity}
        {figures && opportunities && <ForecastCard summary={opportunities} closed={closed} stages={stages} {...shared} />}
        {figures && leads && (
          <>
            <LeadsByMonth summary={leads} {...shared} />
            <LeadsByStatus summary={leads} {...shared} />
          </>
        )}
        {figures && created && <CreatedCard summary={created} {...shared} />}
        {figures && cases && <CasesCard cases={cases} categories={statuses} {...shared} />}
        {due && activity}
      </div>
    </Page>
  )
}

function About({ asOf, period }: { readonly asOf: string | undefined; readonly period: string | undefined }) {
  return (
    <>
      {period ? `Open and due as of today · won, lost and new ${period}` : 'Open, due and recent'}
      {asOf !== undefined && (
        <>
          {' '}
          · as of <Time at={asOf} past />
        </>
      )}
    </>
  )
}

/** The oldest moment that a summary from a mirror is of. */
const asOfIn = ({ leads, opportunities, cases }: Summaries) =>
  [leads?.answer?.AsOf, opportunities?.answer?.AsOf, cases?.answer?.summary.AsOf].filter((asOf) => asOf !== undefined).sort()[0]

/** Whether all summaries are loaded and have no records. */
function isEmpty({ leads, opportunities, cases }: Summaries): boolean {
  const totals = [leads?.answer?.Total, opportunities?.answer?.Total, cases?.answer?.summary.Total]
  const asked = [leads, opportunities, cases].filter((one) => one !== undefined).length
  return asked > 0 && totals.filter((total) => total === 0).length === asked
}
