import { extname } from 'node:path'
import { CrmError } from '../../../contract/errors.ts'
import type { ExportFormat } from '../../../files/exporting/formats.ts'

const ENDINGS: { readonly [ending: string]: ExportFormat } = { '.csv': 'csv', '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.json': 'json', '.xlsx': 'xlsx' }

/** The given format, or the one that the name of the file ends with. */
export function formatFor(path: string | undefined, given: ExportFormat | undefined): ExportFormat {
  if (path === undefined && given === 'xlsx')
    throw new CrmError('invalid_input', 'A workbook is written to a file only.', { hint: 'Name the file with --to, such as --to leads.xlsx.' })
  if (given !== undefined) return given
  if (path === undefined) return 'csv'
  const format = ENDINGS[extname(path).toLowerCase()]
  if (format === undefined)
    throw new CrmError('invalid_input', `The ending of ${path} is that of no format.`, {
      hint: `It may end with ${Object.keys(ENDINGS).join(', ')}; or name the format with --format.`,
    })
  return format
}
