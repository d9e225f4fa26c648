import { useMemo } from 'react'
import { usePeople } from '../data/people.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { ActivityCard } from './activity-card.tsx'
import { Beginning } from './beginning.tsx'
import { CasesCard } from './cases-card.tsx'
import { CreatedCard } from './created-card.tsx'
import { DueCard } from './due-card.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Headline } from './headline.tsx'
import { useKinds } from './kinds.ts'
import { LeadsByMonth, LeadsByStatus } from './lead-cards.tsx'
import { dayOf, isImpossible, narrowingOf, narrowingText } from './narrowing.ts'
import { PipelineCard } from './pipeline-card.tsx'
import { useReach } from './reach.ts'
import { type Summaries, useSummaries } from './summaries.ts'
import './overview.css'

/** What a person would rather look at than read. */
export function Overview() {
  const { may } = useSession()
  const { nameOf } = usePeople()
  const { query } = useRoute()
  const today = dayOf(Date.now())
  const reach = useReach()
  const narrowing = useMemo(() => narrowingOf(query, today, reach), [query, today, reach])
  const summaries = useSummaries(narrowing)
  const { leads, opportunities, cases } = summaries
  const stages = useKinds('Opportunity', opportunities?.answer?.ByStage.map(({ Stage }) => Stage).sort())
  const statuses = useKinds('Case', cases?.answer?.summary.ByStatus.map(({ Status }) => Status).sort())
  const about = narrowingText(narrowing, nameOf)
  const shared = { narrowing, about, today }
  const begins = narrowing.owner === undefined && narrowing.created === undefined && isEmpty(summaries)
  /** Whether there are figures at all that could be narrowed. */
  const measured = leads !== undefined || opportunities !== undefined || cases !== undefined
  const impossible = isImpossible(narrowing)
  const figures = !begins && !impossible
  const activity = (may('get_many_changes') || may('get_many_events')) && (
    <ActivityCard narrowed={narrowing.owner !== undefined || narrowing.created !== undefined} />
  )
  // What is due is what there is to do, so that it has the most room; without it, what happens has.
  const due =
    figures && opportunities && may('get_many_opportunities') ? (
      <DueCard summary={opportunities} stages={stages} narrowing={narrowing} today={today} />
    ) : undefined

  return (
    <Page title="Overview" about={begins ? undefined : 'What is open, due and happening'} acts={measured && !begins && <FilterBar narrowing={narrowing} />}>
      {impossible ? (
        <Card>
          <Empty icon="overview" title="No day lies between these two">
            From is after To. Choose them the other way round, or take one of them away.
          </Empty>
        </Card>
      ) : begins ? (
        <Beginning />
      ) : (
        <Headline {...summaries} narrowing={narrowing} today={today} stages={stages.kinds} statuses={statuses.kinds} />
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
        {figures && cases && <CasesCard cases={cases} kinds={statuses.kinds} {...shared} />}
        {due && activity}
      </div>
    </Page>
  )
}

/** Everything was answered, and there is nothing. */
function isEmpty({ leads, opportunities, cases }: Summaries): boolean {
  const totals = [leads?.answer?.Total, opportunities?.answer?.Total, cases?.answer?.summary.Total]
  const asked = [leads, opportunities, cases].filter((one) => one !== undefined).length
  return asked > 0 && totals.filter((total) => total === 0).length === asked
}
