import { ChartCard } from '../charts/chart-card.tsx'
import type { Figures, Hue } from '../charts/figures.ts'
import { Time } from '../parts/values.tsx'
import { type Categories, openStates } from './categories.ts'
import { nothingText, type PageFilter, recordsAt } from './page-filter.ts'
import { RecordLink } from './record-link.tsx'
import type { Age, Summaries } from './summaries.ts'

interface Props {
  readonly cases: NonNullable<Summaries['cases']>
  readonly categories: Categories | undefined
  readonly filter: PageFilter
  readonly about: string
}

const HUES: readonly Hue[] = ['fresh', 'fresh', 'aging', 'aging', 'old']

export function CasesCard({ cases, categories, filter, about }: Props) {
  const { answer } = cases
  const oldest = answer?.summary.OldestOpen
  return (
    <ChartCard
      title="Open cases by age"
      figures={answer && ageFigures(answer.ages, categories, filter)}
      error={cases.error}
      reload={cases.reload}
      loading={cases.loading}
      horizontal
      about={about}
      nothing={nothingText(filter, 'open cases', 'No open cases.')}
      note={
        oldest ? (
          <span>
            <RecordLink type="Case" id={oldest.CaseID} mayRead={filter.mayRead}>
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

function ageFigures(ages: readonly Age[], categories: Categories | undefined, filter: PageFilter): Figures {
  return {
    of: 'Age',
    measures: [{ name: 'Open cases', kind: 'count' }],
    rows: ages.map(({ label, span, open }, i) => ({
      label,
      values: [open],
      hue: HUES[i] ?? 'plain',
      ...(categories && { to: recordsAt('Case', filter, { CreatedDate: span, Status: { in: openStates(categories) } }, 'CreatedDate asc') }),
    })),
  }
}
