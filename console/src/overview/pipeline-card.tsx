import { ChartCard } from '../charts/chart-card.tsx'
import type { FigureRow, Figures, Hue, Measure } from '../charts/figures.ts'
import { colourOf } from '../charts/palette.ts'
import type { Answer } from '../data/answer.ts'
import { useDescribed } from '../session/session.ts'
import { useDark } from '../shell/theme.ts'
import type { Kind, Kinds, Known } from './kinds.ts'
import { type Narrowing, nothingText, recordsAt } from './narrowing.ts'
import type { OpportunitySummary } from './summaries.ts'
import './pipeline-card.css'

interface Props {
  readonly summary: Answer<OpportunitySummary>
  readonly stages: Known
  readonly narrowing: Narrowing
  readonly about: string
}

const ORDER: readonly Kind[] = ['open', 'won', 'lost']
const MEASURES: readonly Measure[] = [
  { name: 'Amount', kind: 'money' },
  { name: 'Count', kind: 'count' },
]
const LABELS: { readonly [kind: string]: string } = { open: 'Open', won: 'Won', lost: 'Lost' }
const HUES: { readonly [kind: string]: Hue } = { open: 'plain', won: 'won', lost: 'lost' }

/** The open stages in the order the service describes them, those it does not know after them, then what was won and what was lost. */
export function PipelineCard({ summary, stages, narrowing, about }: Props) {
  const dark = useDark()
  const field = useDescribed('Opportunity')?.Fields.find(({ Name }) => Name === 'Stage')
  const known = field?.AllowedValues ?? field?.SuggestedValues ?? []
  const figures = summary.answer && stages.kinds && stageFigures(summary.answer, stages.kinds, known, narrowing)
  return (
    <ChartCard
      title="Pipeline by stage"
      figures={figures}
      error={summary.error ?? stages.error}
      again={summary.error ? summary.again : stages.again}
      asking={summary.asking}
      lying
      measures={MEASURES}
      about={about}
      nothing={nothingText(narrowing, 'There are no opportunities', 'No opportunities here yet.')}
      legend={ORDER.map((kind) => (
        <span key={kind} className="overview-legend">
          <i style={{ background: colourOf(HUES[kind], dark) }} aria-hidden="true" />
          {LABELS[kind]}
        </span>
      ))}
    />
  )
}

function stageFigures({ ByStage }: OpportunitySummary, kinds: Kinds, known: readonly string[], narrowing: Narrowing): Figures {
  const place = (stage: string | null) => {
    const found = known.indexOf(stage ?? '')
    return found < 0 ? known.length : found
  }
  const kindOf = (stage: string | null) => kinds.get(stage) ?? 'open'
  // Sorting keeps the order among equals, which is that of the service: the largest first.
  const stages = [...ByStage].sort((a, b) => ORDER.indexOf(kindOf(a.Stage)) - ORDER.indexOf(kindOf(b.Stage)) || place(a.Stage) - place(b.Stage))
  return {
    of: 'Stage',
    measures: MEASURES,
    rows: stages.map(
      ({ Stage, Count, Amount }): FigureRow => ({
        label: Stage ?? 'No stage',
        key: Stage ?? '',
        values: [Amount, Count],
        hue: HUES[kindOf(Stage)] ?? 'plain',
        to: recordsAt('Opportunity', narrowing, { Stage }),
      }),
    ),
  }
}
