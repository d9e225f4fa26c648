import { useState } from 'react'
import { ChartCard } from '../charts/chart-card.tsx'
import type { Figures } from '../charts/figures.ts'
import type { Answer } from '../data/answer.ts'
import { usePeople } from '../data/people-names.ts'
import { Tabs } from '../parts/tabs.tsx'
import { monthFigures } from './months.ts'
import { createdIn, createdWords, nothingNewText, type PageFilter, recordsAt } from './page-filter.ts'
import type { OpportunitySummary } from './summaries.ts'

interface Props {
  readonly summary: Answer<OpportunitySummary>
  readonly filter: PageFilter
  readonly about: string
  readonly today: string
}

const VIEWS = [
  { id: 'month', label: 'Month' },
  { id: 'owner', label: 'Owner' },
] as const

/** Opportunities by month of creation or by owner. */
export function CreatedCard({ summary, filter, about, today }: Props) {
  const [view, setView] = useState<'month' | 'owner'>('month')
  const { nameOf } = usePeople()
  const { answer } = summary
  const figures = answer && (view === 'month' ? monthFigures('Opportunity', answer.ByMonth, filter, today) : ownerFigures(answer, filter, nameOf))
  return (
    <ChartCard
      title={view === 'month' ? 'Opportunities by month' : 'Opportunities by owner'}
      heading="Opportunities"
      figures={figures}
      error={summary.error}
      reload={summary.reload}
      loading={summary.loading}
      horizontal={view === 'owner'}
      about={about}
      basis={createdWords(filter)}
      nothing={nothingNewText(filter, 'opportunities', 'No opportunities yet.')}
      note={<Tabs label="Opportunities by" tabs={VIEWS} shown={view} onShow={setView} />}
    />
  )
}

function ownerFigures({ ByOwner }: OpportunitySummary, filter: PageFilter, nameOf: (id: string) => string): Figures {
  return {
    of: 'Owner',
    measures: [
      { name: 'Count', kind: 'count' },
      { name: 'Amount', kind: 'money' },
    ],
    rows: ByOwner.map(({ UserID, Count, Amount }) => ({
      label: nameOf(UserID),
      values: [Count, Amount],
      to: recordsAt('Opportunity', filter, { ...createdIn(filter), OwnerID: UserID }),
    })),
  }
}
