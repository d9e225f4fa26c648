import { usePeople } from '../data/people-names.ts'
import { byValue } from '../filters/by-value.ts'
import type { Condition } from '../filters/conditions.ts'
import { textOf } from '../grid/cell.tsx'
import type { MenuItem } from '../parts/menu.tsx'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'

const MAX_TEXT = 40
const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text)

/** Offers to show only the records that have a value of a row, or all others. */
export function useValueMenu(schema: RecordSchema, onCondition: (condition: Condition) => void): (row: Row, columns: readonly string[]) => readonly MenuItem[] {
  const { nameOf: nameOfUser } = usePeople()
  return (row, columns) =>
    columns.flatMap((name): MenuItem[] => {
      const field = schema.fields.find(({ Name }) => Name === name)
      const by = field && byValue(field, row[name])
      if (!by) return []
      const reference = schema.references.find((one) => one.field === name)
      const behind = reference && (row[reference.name] as Row | null | undefined)
      const text = by.only.value === null ? 'no value' : cut(reference && behind ? nameOf(reference, behind) : textOf(field, by.only.value, nameOfUser))
      const { only, exclude } = by
      return [
        { label: `Show only ${field.Label}: ${text}`, icon: 'filter', act: () => onCondition(only) },
        ...(exclude ? [{ label: `Exclude ${field.Label}: ${text}`, icon: 'close' as const, act: () => onCondition(exclude) }] : []),
      ]
    })
}
