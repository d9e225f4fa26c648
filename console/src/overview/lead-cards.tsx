import { ChartCard } from '../charts/chart-card.tsx'
import type { Figures } from '../charts/figures.ts'
import type { Answer } from '../data/answer.ts'
import { monthFigures } from './months.ts'
import { type Narrowing, nothingText, recordsAt } from './narrowing.ts'
import type { LeadSummary } from './summaries.ts'

interface Props {
  readonly summary: Answer<LeadSummary>
  readonly narrowing: Narrowing
  readonly about: string
  readonly today: string
}

export function LeadsByMonth({ summary, narrowing, about, today }: Props) {
  const figures = summary.answer && monthFigures('Lead', summary.answer.ByMonth, narrowing, today)
  return <ChartCard title="Leads by month" {...shared(summary, figures)} about={about} nothing={noLeads(narrowing)} />
}

export function LeadsByStatus({ summary, narrowing, about }: Props) {
  const figures = summary.answer && statusFigures(summary.answer, narrowing)
  return <ChartCard title="Leads by status" {...shared(summary, figures)} lying about={about} nothing={noLeads(narrowing)} />
}

const noLeads = (narrowing: Narrowing) => nothingText(narrowing, 'There are no leads', 'No leads here yet.')

const shared = ({ error, again, asking }: Answer<LeadSummary>, figures: Figures | undefined) => ({ figures, error, again, asking })

function statusFigures({ ByStatus }: LeadSummary, narrowing: Narrowing): Figures {
  return {
    of: 'Status',
    measures: [{ name: 'Count', kind: 'count' }],
    rows: ByStatus.map(({ Status, Count }) => ({
      label: Status ?? 'No status',
      key: Status ?? '',
      values: [Count],
      to: recordsAt('Lead', narrowing, { Status }),
    })),
  }
}
