import type { Operation } from 'crm-connector/contract'
import { csvOf, flatRecord, ndjsonOf, workbookOf } from 'crm-connector/files'

/** The formats of an export, as a person chooses them. */
export const EXPORT_FORMATS = {
  csv: { label: 'CSV, for other systems', ending: 'csv', type: 'text/csv', hint: 'The file can be imported again.' },
  excel: {
    label: 'CSV for Excel',
    ending: 'csv',
    type: 'text/csv',
    hint: 'With a byte order mark, by which Excel recognises accents. It can be imported again.',
  },
  xlsx: {
    label: 'Excel workbook',
    ending: 'xlsx',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    hint: 'Numbers and dates keep their types. The file can be imported again.',
  },
  ndjson: {
    label: 'NDJSON, one record a line as the API answers it',
    ending: 'ndjson',
    type: 'application/x-ndjson',
    hint: 'Values keep their types, for programs.',
  },
} as const

export type ExportFormat = keyof typeof EXPORT_FORMATS

export const isCsv = (format: ExportFormat) => format === 'csv' || format === 'excel'

interface Content {
  readonly operation: Operation
  readonly columns: readonly string[]
  readonly raw: boolean
  /** What the records are called, as the name of a sheet. */
  readonly plural: string
}

export function writerFor(format: ExportFormat, { operation, columns, raw, plural }: Content) {
  const flat = (row: { readonly [member: string]: unknown }) => flatRecord(operation, row)
  if (format === 'ndjson') return ndjsonOf
  return format === 'xlsx' ? workbookOf(columns, operation.record, plural, flat) : csvOf(columns, flat, { raw, bom: format === 'excel' })
}
