import { type Column, Table } from '../parts/table.tsx'
import { Link } from '../routing/link.tsx'
import { exactText, type FigureRow, type Figures } from './figures.ts'

/** The exact numbers behind a chart, with links to their records. */
export function FiguresTable({ title, figures }: { readonly title: string; readonly figures: Figures }) {
  const columns: readonly Column<FigureRow>[] = [
    {
      title: figures.of,
      cell: ({ label, to }) =>
        to ? (
          <Link to={to.path} query={to.query}>
            {label}
          </Link>
        ) : (
          label
        ),
    },
    ...figures.measures.map((measure, i) => ({ title: measure.name, number: true, cell: ({ values }: FigureRow) => exactText(values[i] ?? 0, measure) })),
  ]
  return <Table label={title} columns={columns} rows={figures.rows} keyOf={({ label }) => label} />
}
