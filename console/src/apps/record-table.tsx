import { RECORD_TYPES } from 'crm-connector/contract'
import { labelOf } from '../data/field-names.ts'
import { isObject } from '../data/is-object.ts'
import { moneyText } from '../parts/money.ts'
import { Table } from '../parts/table.tsx'
import { dayText, momentText, numberText } from '../parts/values.tsx'

export type Record = { readonly [field: string]: unknown }

const IDS: ReadonlySet<string> = new Set(RECORD_TYPES.map(({ id }) => id))
const MONEY: ReadonlySet<string> = new Set(
  RECORD_TYPES.flatMap(({ fields }) => Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'money' ? [name] : []))),
)

/** A value for people; nothing of it is markup. */
export function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return MONEY.has(field) ? moneyText(value) : numberText(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map((one) => valueText(field, one)).join(', ')
  if (isObject(value)) return JSON.stringify(value)
  const text = String(value)
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return momentText(text)
  return /^\d{4}-\d\d-\d\d$/.test(text) ? dayText(text) : text
}

/** Records as rows; ids come last, since people seldom need them. */
export function RecordTable({ label, records }: { readonly label: string; readonly records: readonly Record[] }) {
  const fields = [...new Set(records.flatMap(Object.keys))].sort((a, b) => Number(IDS.has(a)) - Number(IDS.has(b)))
  const columns = fields.map((field) => ({
    title: labelOf(field),
    number: records.some((record) => typeof record[field] === 'number'),
    cell: (record: Record) => valueText(field, record[field]),
  }))
  const rows = records.map((record, index) => ({ index, record }))
  return (
    <Table
      label={label}
      columns={columns.map((column) => ({ ...column, cell: ({ record }: (typeof rows)[number]) => column.cell(record) }))}
      rows={rows}
      keyOf={({ index }) => String(index)}
    />
  )
}
