import { useMemo } from 'react'
import { usePeople } from '../data/people.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { ActivityCard } from './activity-card.tsx'
import { CasesCard } from './cases-card.tsx'
import { useCategories } from './categories.ts'
import { CreatedCard } from './created-card.tsx'
import { DueCard } from './due-card.tsx'
import { FilterBar } from './filter-bar.tsx'
import { GetStarted } from './get-started.tsx'
import { Headline } from './headline.tsx'
import { LeadsByMonth, LeadsByStatus } from './lead-cards.tsx'
import { useMayRead } from './may-read.ts'
import { dayOf, isEmptyPeriod, pageFilterOf, pageFilterText } from './page-filter.ts'
import { PipelineCard } from './pipeline-card.tsx'
import { type Summaries, useSummaries } from './summaries.ts'
import './overview.css'

export function Overview() {
  const { may } = useSession()
  const { nameOf } = usePeople()
  const { query } = useRoute()
  const today = dayOf(Date.now())
  const mayRead = useMayRead()
  const filter = useMemo(() => pageFilterOf(query, today, mayRead), [query, today, mayRead])
  const summaries = useSummaries(filter)
  const { leads, opportunities, cases } = summaries
  const stages = useCategories('Opportunity', opportunities?.answer?.ByStage.map(({ Stage }) => Stage).sort())
  const statuses = useCategories('Case', cases?.answer?.summary.ByStatus.map(({ Status }) => Status).sort())
  const about = pageFilterText(filter, nameOf)
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
    <Page title="Overview" about={isEmptyStore ? undefined : 'Open, due and recent'} acts={hasFigures && !isEmptyStore && <FilterBar filter={filter} />}>
      {emptyPeriod ? (
        <Card>
          <Empty icon="overview" title="The period is empty">
            From is after To. Swap the two dates or clear one.
          </Empty>
        </Card>
      ) : isEmptyStore ? (
        <GetStarted />
      ) : (
        <Headline {...summaries} filter={filter} today={today} stages={stages.categories} statuses={statuses.categories} />
      )}
      <div className={`overview-grid${!figures ? ' overview-grid-one' : opportunities && leads ? '' : ' overview-grid-few'}`}>
        {figures && opportunities && <PipelineCard summary={opportunities} stages={stages} {...shared} />}
        {due ?? activity}
        {figures && leads && (
          <>
            <LeadsByMonth summary={leads} {...shared} />
            <LeadsByStatus summary={leads} {...shared} />
          </>
        )}
        {figures && opportunities && <CreatedCard summary={opportunities} {...shared} />}
        {figures && cases && <CasesCard cases={cases} categories={statuses.categories} {...shared} />}
        {due && activity}
      </div>
    </Page>
  )
}

/** Whether all summaries are loaded and have no records. */
function isEmpty({ leads, opportunities, cases }: Summaries): boolean {
  const totals = [leads?.answer?.Total, opportunities?.answer?.Total, cases?.answer?.summary.Total]
  const asked = [leads, opportunities, cases].filter((one) => one !== undefined).length
  return asked > 0 && totals.filter((total) => total === 0).length === asked
}
