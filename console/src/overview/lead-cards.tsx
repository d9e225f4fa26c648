import { ChartCard } from '../charts/chart-card.tsx'
import type { Figures } from '../charts/figures.ts'
import type { Answer } from '../data/answer.ts'
import { monthFigures } from './months.ts'
import { createdIn, createdWords, nothingNewText, type PageFilter, recordsAt } from './page-filter.ts'
import type { LeadSummary } from './summaries.ts'

interface Props {
  readonly summary: Answer<LeadSummary>
  readonly filter: PageFilter
  readonly about: string
  readonly today: string
}

export function LeadsByMonth({ summary, filter, about, today }: Props) {
  const figures = summary.answer && monthFigures('Lead', summary.answer.ByMonth, filter, today)
  return <ChartCard title="Leads by month" {...shared(summary, figures)} about={about} basis={createdWords(filter)} nothing={noLeads(filter)} />
}

export function LeadsByStatus({ summary, filter, about }: Props) {
  const figures = summary.answer && statusFigures(summary.answer, filter)
  return <ChartCard title="Leads by status" {...shared(summary, figures)} horizontal about={about} basis={createdWords(filter)} nothing={noLeads(filter)} />
}

const noLeads = (filter: PageFilter) => nothingNewText(filter, 'leads', 'No leads yet.')

const shared = ({ error, reload, loading }: Answer<LeadSummary>, figures: Figures | undefined) => ({ figures, error, reload, loading })

function statusFigures({ ByStatus, Others }: LeadSummary, filter: PageFilter): Figures {
  const named = ByStatus.map(({ Status, Count }) => ({
    label: Status ?? 'No status',
    key: Status ?? '',
    values: [Count],
    to: recordsAt('Lead', filter, { ...createdIn(filter), Status }),
  }))
  return {
    of: 'Status',
    measures: [{ name: 'Count', kind: 'count' }],
    rows: Others ? [...named, { label: 'Others', values: [Others.Count] }] : named,
  }
}
