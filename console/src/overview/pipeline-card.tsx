import { ChartCard } from '../charts/chart-card.tsx'
import type { FigureRow, Figures, Hue, Measure } from '../charts/figures.ts'
import type { Answer } from '../data/answer.ts'
import { useDescribed } from '../session/session.ts'
import type { Categories, Category } from './categories.ts'
import { Legend } from './legend.tsx'
import { nothingText, type PageFilter, recordsAt } from './page-filter.ts'
import type { OpportunitySummary } from './summaries.ts'

interface Props {
  readonly summary: Answer<OpportunitySummary>
  readonly stages: Categories | undefined
  readonly filter: PageFilter
  readonly about: string
}

const ORDER: readonly Category[] = ['open', 'won', 'lost']
const MEASURES: readonly Measure[] = [
  { name: 'Amount', kind: 'money' },
  { name: 'Count', kind: 'count' },
]
const LABELS: { readonly [kind: string]: string } = { open: 'Open', won: 'Won', lost: 'Lost' }
const HUES: { readonly [kind: string]: Hue } = { open: 'plain', won: 'won', lost: 'lost' }

/** The open stages in the order of `describe`, then other open stages, then won and lost ones, which would dwarf what is open. */
export function PipelineCard({ summary, stages, filter, about }: Props) {
  const field = useDescribed('Opportunity')?.Fields.find(({ Name }) => Name === 'Stage')
  const known = field?.AllowedValues ?? field?.SuggestedValues ?? []
  const figures = summary.answer && stages && stageFigures(summary.answer, stages, known, filter)
  return (
    <ChartCard
      title="Pipeline by stage"
      figures={figures}
      error={summary.error}
      reload={summary.reload}
      loading={summary.loading}
      horizontal
      measures={MEASURES}
      about={about}
      nothing={nothingText(filter, 'opportunities', 'No opportunities yet.')}
      legend={<Legend hues={ORDER.map((kind) => [LABELS[kind] ?? kind, HUES[kind] ?? 'plain'])} />}
    />
  )
}

function stageFigures({ ByStage, Others }: OpportunitySummary, categories: Categories, known: readonly string[], filter: PageFilter): Figures {
  const place = (stage: string | null) => {
    const found = known.indexOf(stage ?? '')
    return found < 0 ? known.length : found
  }
  const typeName = (stage: string | null) => categories.get(stage) ?? 'open'
  // The sort is stable, so equal stages keep the order of the service: largest first.
  const stages = [...ByStage].sort((a, b) => ORDER.indexOf(typeName(a.Stage)) - ORDER.indexOf(typeName(b.Stage)) || place(a.Stage) - place(b.Stage))
  const named = stages.map(
    ({ Stage, Count, Amount }): FigureRow => ({
      label: Stage ?? 'No stage',
      key: Stage ?? '',
      values: [Amount, Count],
      hue: HUES[typeName(Stage)] ?? 'plain',
      offScale: typeName(Stage) !== 'open',
      to: recordsAt('Opportunity', filter, { Stage }),
    }),
  )
  return { of: 'Stage', measures: MEASURES, rows: Others ? [...named, { label: 'Others', values: [Others.Amount, Others.Count] }] : named }
}
