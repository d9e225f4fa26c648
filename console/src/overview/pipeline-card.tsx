import { ChartCard } from '../charts/chart-card.tsx'
import type { FigureRow, Figures, Hue, Measure } from '../charts/figures.ts'
import type { Answer } from '../data/answer.ts'
import { useDescribed } from '../session/session.ts'
import type { Categories, Category } from './categories.ts'
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
}

const ORDER: readonly Category[] = ['open', 'won', 'lost']
const MEASURES: readonly Measure[] = [
  { name: 'Amount', kind: 'money' },
  { name: 'Count', kind: 'count' },
]
const LABELS: { readonly [kind: string]: string } = { open: 'Open', won: 'Won', lost: 'Lost' }
const HUES: { readonly [kind: string]: Hue } = { open: 'plain', won: 'won', lost: 'lost' }

/**
 * The open stages in the order of `describe`, then other open stages, then won and lost ones, which would dwarf what is open. What is open is that of today;
 * of what is closed, a period shows what closed in it.
 */
export function PipelineCard({ summary, closed, stages, filter, about }: Props) {
  const field = useDescribed('Opportunity')?.Fields.find(({ Name }) => Name === 'Stage')
  const known = field?.AllowedValues ?? field?.SuggestedValues ?? []
  const period = periodWords(filter)
  const shares = summary.answer && stages && (closed ? closed.answer && sharesIn(summary.answer, closed.answer, stages) : summary.answer)
  const figures = shares && stages && stageFigures(shares, stages, known, filter)
  const refused = [summary, closed].find((one) => one?.error) ?? summary
  return (
    <ChartCard
      title="Pipeline by stage"
      figures={figures}
      error={refused.error}
      reload={refused.reload}
      loading={summary.loading || closed?.loading === true}
      horizontal
      measures={MEASURES}
      about={about}
      basis={period && `Open as of today, won and lost ${period}`}
      nothing={nothingText(filter, 'opportunities', 'No opportunities yet.')}
      legend={<Legend hues={ORDER.map((kind) => [LABELS[kind] ?? kind, HUES[kind] ?? 'plain'])} />}
    />
  )
}

type Shares = Pick<OpportunitySummary, 'ByStage' | 'Others'>

/** The open stages of today with the others of the period. */
function sharesIn({ ByStage, Others, Open }: OpportunitySummary, closed: OpportunitySummary, categories: Categories): Shares {
  const isOpen = ({ Stage }: { readonly Stage: string | null }) => (categories.get(Stage) ?? 'open') === 'open'
  const open = ByStage.filter(isOpen)
  // Amounts have up to four decimals, which sums of floats miss.
  const rest = (of: 'Count' | 'Amount') => Math.round((Open[of] - open.reduce((sum, share) => sum + share[of], 0)) * 10_000) / 10_000
  return {
    ByStage: [...open, ...closed.ByStage.filter((share) => !isOpen(share))],
    ...(Others && { Others: { Count: rest('Count'), Amount: rest('Amount') } }),
  }
}

function stageFigures({ ByStage, Others }: Shares, categories: Categories, known: readonly string[], filter: PageFilter): Figures {
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
      to: recordsAt('Opportunity', filter, { Stage, ...(filter.closed && typeName(Stage) !== 'open' && { CloseDate: filter.closed }) }),
    }),
  )
  return { of: 'Stage', measures: MEASURES, rows: Others ? [...named, { label: 'Others', values: [Others.Amount, Others.Count] }] : named }
}
