import { isObject, type Json } from '../../json.ts'

/** Records as CSV, with a line of the columns first. Every value is in quotes, and one that is missing is empty. */
export function csv(columns: readonly string[], records: Iterable<unknown>): string {
  const paths = columns.map((column) => column.split('.'))
  const lines = [columns.map(quoted).join(',')]
  for (const record of records) lines.push(paths.map((path) => quoted(textOf(valueAt(record, path)))).join(','))
  return `${lines.join('\n')}\n`
}

const quoted = (text: string) => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`

/** A value by its path, whose names may be in other letters than the record's. */
function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[keyIn(value, name)] : undefined), record)
}

/** Names as the record has them are the usual case, and found without a look at all others. */
function keyIn(record: Json, name: string): string {
  return Object.hasOwn(record, name) ? name : (Object.keys(record).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name)
}

/** Times end in Z here, and not in an offset. */
function textOf(value: unknown): string {
  const text = String(value ?? '')
  return text.endsWith('+0000') && TIME.test(text) ? text.replace('+0000', 'Z') : text
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{12}\+0000$/
