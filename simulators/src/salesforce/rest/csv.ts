import { isObject } from '../../json.ts'

/** Records as CSV, with a line of the columns first. Every value is in quotes, and one that is missing is empty. */
export function csv(columns: readonly string[], records: readonly unknown[]): string {
  const lines = records.map((record) => columns.map((column) => textOf(valueAt(record, column.split('.')))))
  return [columns, ...lines].map((values) => `${values.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')}\n`).join('')
}

/** A value by its path, whose names may be in other letters than the record's. */
function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isObject(value) ? Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] : undefined),
    record,
  )
}

/** Times end in Z here, and not in an offset. */
const textOf = (value: unknown) => String(value ?? '').replace(/^(\d{4}-\d\d-\d\dT[\d:.]{12})\+0000$/, '$1Z')
