import { Bars } from '../charts/bars.tsx'
import type { Figures, Measure } from '../charts/figures.ts'
import { FiguresTable } from '../charts/figures-table.tsx'
import type { Record } from './record-table.tsx'

const COUNT: Measure = { name: 'Count', kind: 'count' }
const AMOUNT: Measure = { name: 'Amount', kind: 'money' }

/** The figures of a summary by stage, or by status. */
export function figuresOf(answer: Record): Figures | undefined {
  const [of, rows] = Array.isArray(answer.ByStage)
    ? ['Stage', answer.ByStage as Record[]]
    : Array.isArray(answer.ByStatus)
      ? ['Status', answer.ByStatus as Record[]]
      : []
  if (!of || !rows) return undefined
  const measures = rows.some((row) => 'Amount' in row) ? [AMOUNT, COUNT] : [COUNT]
  return { of, measures, rows: rows.map((row) => ({ label: String(row[of] ?? 'None'), values: measures.map(({ name }) => Number(row[name] ?? 0)) })) }
}

/** The pipeline by stage: a chart, and the exact numbers. */
export function Pipeline({ figures }: { readonly figures: Figures }) {
  const title = `By ${figures.of.toLowerCase()}`
  return (
    <>
      <div className="app-chart" style={{ height: `${Math.max(3, figures.rows.length) * 2.2}rem` }}>
        <Bars title={title} figures={figures} shown={0} horizontal />
      </div>
      <FiguresTable title={title} figures={figures} />
    </>
  )
}
