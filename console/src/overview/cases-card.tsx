import { ChartCard } from '../charts/chart-card.tsx'
import type { Figures, Hue } from '../charts/figures.ts'
import { Time } from '../parts/values.tsx'
import { type Kinds, openOnes } from './kinds.ts'
import { type Narrowing, nothingText, recordsAt } from './narrowing.ts'
import { RecordLink } from './record-link.tsx'
import type { Age, Summaries } from './summaries.ts'

interface Props {
  readonly cases: NonNullable<Summaries['cases']>
  readonly kinds: Kinds | undefined
  readonly narrowing: Narrowing
  readonly about: string
}

const HUES: readonly Hue[] = ['fresh', 'fresh', 'aging', 'aging', 'old']

export function CasesCard({ cases, kinds, narrowing, about }: Props) {
  const { answer } = cases
  const oldest = answer?.summary.OldestOpen
  return (
    <ChartCard
      title="Open cases by age"
      figures={answer && ageFigures(answer.ages, kinds, narrowing)}
      error={cases.error}
      again={cases.again}
      asking={cases.asking}
      lying
      about={about}
      nothing={nothingText(narrowing, 'There is no open case', 'No case is open.')}
      note={
        oldest ? (
          <span>
            <RecordLink type="Case" id={oldest.CaseID} reach={narrowing.reach}>
              The oldest
            </RecordLink>{' '}
            was opened <Time at={oldest.CreatedDate} />
          </span>
        ) : (
          ' '
        )
      }
    />
  )
}

function ageFigures(ages: readonly Age[], kinds: Kinds | undefined, narrowing: Narrowing): Figures {
  return {
    of: 'Age',
    measures: [{ name: 'Open cases', kind: 'count' }],
    rows: ages.map(({ label, span, open }, i) => ({
      label,
      values: [open],
      hue: HUES[i] ?? 'plain',
      ...(kinds && { to: recordsAt('Case', narrowing, { CreatedDate: span, Status: { in: openOnes(kinds) } }, 'CreatedDate asc') }),
    })),
  }
}
