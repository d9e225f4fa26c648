import { lastRows } from '../grid/use-rows.ts'
import type { RecordSchema, Row } from './record-schema.ts'

/** The ids of the records before and after this one, in the table that was shown last. */
export function neighboursOf(schema: RecordSchema, id: string): { readonly previous: string | undefined; readonly next: string | undefined } {
  const rows = lastRows<Row>(schema.path.join('/'))
  const at = rows?.indexOf((row) => row[schema.id] === id) ?? -1
  const idAt = (index: number) => {
    const row = at < 0 || index < 0 ? undefined : rows?.rowAt(index)
    return row && String(row[schema.id])
  }
  return { previous: idAt(at - 1), next: idAt(at + 1) }
}
