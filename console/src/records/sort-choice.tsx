import type { DescribedField } from '../session/session.ts'
import { isSortable } from './row-columns.tsx'

interface Props {
  readonly fields: readonly DescribedField[]
  readonly order: string | undefined
  readonly onOrder: (order: string | undefined) => void
}

/** Sorting on narrow screens, which have no column headers. */
export function SortChoice({ fields, order, onOrder }: Props) {
  const known = fields.filter(isSortable).flatMap(({ Name, Label }) => [
    [`${Name} asc`, `${Label} ↑`],
    [`${Name} desc`, `${Label} ↓`],
  ])
  return (
    <select className="input records-sort" aria-label="Sort by" value={order ?? ''} onChange={(event) => onOrder(event.target.value || undefined)}>
      <option value="">Newest first</option>
      {order !== undefined && !known.some(([value]) => value === order) && <option value={order}>{order}</option>}
      {known.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
