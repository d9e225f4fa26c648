import { isNumber, isUser } from '../grid/cell.tsx'
import type { GridColumn } from '../grid/columns.ts'
import { Words } from '../parts/words.tsx'
import type { DescribedField } from '../session/session.ts'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { RecordValue } from './record-value.tsx'

/** Column widths by type: the minimum in rem, and the share of the remaining space. The first columns of leads fit into 1024 px, up to the status. */
const WIDTHS: { readonly [type: string]: readonly [least: number, share: number] } = {
  email: [13, 2.4],
  phone: [8.9, 1.2],
  choice: [8.5, 1],
  number: [7, 0.7],
  integer: [6, 0.6],
  money: [8.5, 0.8],
  date: [7.25, 0.8],
  timestamp: [7.25, 1],
  boolean: [6, 0.6],
  longText: [11, 1.8],
}

/** Users are stored by id, and sorting by id would not sort by name. */
export const isSortable = (field: DescribedField): boolean => field.Operators.length > 0 && field.Type !== 'choices' && !isUser(field)

/** Nor are references sorted by the names that are shown. */
export const isColumnSortable = (schema: RecordSchema, field: DescribedField): boolean =>
  isSortable(field) && !schema.references.some((one) => one.field === field.Name)

export function gridColumns(schema: RecordSchema, names: readonly string[]): GridColumn<Row>[] {
  return names.flatMap((name) => {
    const field = schema.fields.find(({ Name }) => Name === name)
    return field
      ? [
          {
            name,
            label: field.Label,
            sortable: isColumnSortable(schema, field),
            number: isNumber(field),
            width:
              WIDTHS[field.Type] ??
              (schema.titles.length === 1 && schema.titles[0] === name
                ? [12.5, 2]
                : isUser(field)
                  ? [7, 1.05]
                  : schema.titles.includes(name)
                    ? [5.75, 0.9]
                    : [7, 1]),
            cell: (row: Row) => <RecordValue schema={schema} field={field} row={row} linked={name !== names[0]} />,
          },
        ]
      : []
  })
}

/** A row on narrow screens: its name, state, and the two most useful columns that have a value. */
export function RowCard({ schema, row, columns }: { readonly schema: RecordSchema; readonly row: Row; readonly columns: readonly string[] }) {
  const field = (name: string | undefined) => schema.fields.find(({ Name }) => Name === name)
  const state = field(schema.state)
  const rest = columns.filter((name) => !schema.titles.includes(name) && name !== schema.state).map(field)
  const useful = ORDER.flatMap((types) => rest.filter((one): one is DescribedField => one !== undefined && types.includes(one.Type)))
  const [first, second] = [...useful.filter(({ Name }) => isFilled(row[Name])), ...useful]
  return (
    <>
      <strong>
        <Words>{nameOf(schema, row)}</Words>
      </strong>
      <span>{state && <RecordValue schema={schema} field={state} row={row} linked={false} />}</span>
      <small>{first && <RecordValue schema={schema} field={first} row={row} linked={false} />}</small>
      <small>{second && <RecordValue schema={schema} field={second} row={row} linked={false} />}</small>
    </>
  )
}

const isFilled = (value: unknown) => value !== null && value !== undefined && value !== ''

/** Types by usefulness on a card. */
const ORDER: readonly (readonly string[])[] = [
  ['money', 'number'],
  ['email'],
  ['date'],
  ['id', 'timestamp'],
  ['longText', 'text', 'phone', 'boolean', 'integer', 'choice'],
]
