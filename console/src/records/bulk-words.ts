import { numberText } from '../parts/values.tsx'
import type { BulkOutcome } from './bulk-run.ts'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'

/** `1 lead`, `2,520 leads`. */
export const countOf = ({ one, many }: Pick<RecordSchema, 'one' | 'many'>, count: number): string => `${numberText(count)} ${count === 1 ? one : many}`

/** `197 leads changed, 3 already had this value, 2 refused.` */
export function outcomeText(schema: RecordSchema, verb: 'changed' | 'deleted', { changed, unchanged, refused, waiting, left }: BulkOutcome): string {
  const parts = [
    changed > 0 || unchanged === 0 ? `${countOf(schema, changed)} ${verb}` : '',
    unchanged > 0 ? `${numberText(unchanged)} already had this value` : '',
    waiting.length > 0 ? `${numberText(waiting.length)} ${waiting.length === 1 ? 'waits' : 'wait'} for approval` : '',
    refused.length > 0 ? `${numberText(refused.length)} failed` : '',
    left.length > 0 ? `${numberText(left.length)} not done` : '',
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

/** `Ada Lovelace, Grace Hopper and 190 more`. */
export function namesText(schema: RecordSchema, rows: Iterable<Row>, total: number, listed: number): string {
  const names: string[] = []
  for (const row of rows) {
    if (names.length === listed) break
    names.push(nameOf(schema, row))
  }
  if (total > names.length) return `${names.join(', ')} and ${numberText(total - names.length)} more`
  return LISTS.format(names)
}

const LISTS = new Intl.ListFormat('en', { type: 'conjunction' })
