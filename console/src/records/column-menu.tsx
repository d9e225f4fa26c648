import { useState } from 'react'
import { withCondition } from '../filters/by-value.ts'
import { filtersOf } from '../filters/conditions.ts'
import { FilterEditor } from '../filters/filter-editor.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { MenuItem } from '../parts/menu.tsx'
import { isColumnSortable } from './row-columns.tsx'
import type { RecordsView } from './use-records-view.ts'

/** What the head of a column offers, and the dialog that filters by it while it is open. */
export function useColumnMenu({ schema, view, fields, conditions, show }: RecordsView, columns: readonly string[]) {
  const [filtered, setFiltered] = useState<string>()
  const field = fields.find(({ Name }) => Name === filtered)
  const close = () => setFiltered(undefined)
  const menu = (name: string): readonly MenuItem[] => {
    const column = fields.find(({ Name }) => Name === name)
    if (!column) return []
    return [
      ...(isColumnSortable(schema, column)
        ? ([
            { label: 'Sort ascending', icon: 'up', act: () => show({ ...view, order: `${name} asc` }) },
            { label: 'Sort descending', icon: 'down', act: () => show({ ...view, order: `${name} desc` }) },
          ] as const)
        : []),
      ...(column.Operators.length > 0 ? [{ label: `Filter by ${column.Label}`, icon: 'filter' as const, act: () => setFiltered(name) }] : []),
      ...(columns.length > 1
        ? [{ label: 'Hide column', icon: 'close' as const, act: () => show({ ...view, columns: columns.filter((one) => one !== name) }) }]
        : []),
    ]
  }
  const dialog = field && (
    <Dialog title={`Filter by ${field.Label}`} onClose={close}>
      <FilterEditor
        fields={fields.filter(({ Operators }) => Operators.length > 0)}
        condition={undefined}
        first={field.Name}
        onApply={(next) => {
          close()
          show({ ...view, filters: filtersOf(withCondition(conditions, next)) })
        }}
      />
    </Dialog>
  )
  return { menu, dialog }
}
