import type { Command } from 'commander'
import type { Crm } from '../../../contract/client/client.ts'
import type { Operation } from '../../../contract/operation.ts'
import { csvOf, type ExportFormat, hasColumns, jsonOf, ndjsonOf, type Writer } from '../../../files/exporting/formats.ts'
import { type OwnerColumns, withOwnerColumns, withOwnerNames } from '../../../files/exporting/owner-names.ts'
import { countRecords, exportColumns, flatRecord, recordsOf } from '../../../files/exporting/records.ts'
import { refuseTooMany, workbookOf } from '../../../files/exporting/workbook.ts'
import { type Shell, settingsOf } from '../app.ts'
import type { Row } from '../cells.ts'
import { withFlags } from '../flags.ts'
import { operationAt } from '../further-fields.ts'
import { note } from '../io.ts'
import { settled } from '../loose.ts'
import { formatOf, present } from '../output.ts'
import { type Watched, watched } from '../progress.ts'
import { exportedBy, kindOf, unknownRecords } from './exported.ts'
import { formatFor } from './format.ts'
import { fileOutput, type Output, standardOutput } from './output-file.ts'

export interface ExportFlags {
  readonly to?: string
  readonly format?: ExportFormat
  readonly force?: true
  readonly raw?: true
  readonly bom?: true
  readonly owners: OwnerColumns
  readonly workspace?: string
}

/** Writes all records that match to a file or to standard output. */
export async function runExport(shell: Shell, name: string, given: ExportFlags, command: Command): Promise<void> {
  const { io } = shell
  const named = exportedBy(name)
  if (!named) throw unknownRecords(name)
  const path = given.to === '-' ? undefined : given.to
  const format = formatFor(path, given.format)
  const began = performance.now()
  const flags = settingsOf(command, shell)
  const crm = await shell.client(flags, { workspace: given.workspace, mustExist: true })
  try {
    const operation = await operationAt(crm, named, command.opts<Row>(), hasColumns(format))
    const input = await settled(withFlags({}, command.opts<Row>(), operation), crm)
    const writer = await writerFor(crm, operation, input, format, given)
    // A summary with filters reads every match, which is too much for a progress bar.
    const all = input.Filters === undefined ? await countRecords(crm, operation, {}) : undefined
    if (format === 'xlsx') refuseTooMany(all ?? 0)
    const { name: recordType, plural } = kindOf(operation)
    const output = path === undefined ? standardOutput(io) : await fileOutput(path, given.force === true)
    const records = await watched(
      io,
      async (how) => {
        try {
          const pages = recordsOf(crm, operation, input, how.signal)
          return await writeAll(given.owners === 'id' || !hasColumns(format) ? pages : withOwnerNames(crm, pages), writer, output, how, plural, all)
        } catch (error) {
          await output.drop()
          throw error
        }
      },
      'No file was written.',
    )
    const bytes = await output.done()
    const seconds = Math.round((performance.now() - began) / 10) / 100
    const summary: Row = { File: path ?? null, RecordType: recordType, Records: records, Bytes: bytes, Seconds: seconds }
    if (path === undefined) note(io, `${records.toLocaleString('en')} ${plural} exported.`)
    else await present(io, summary, formatOf(command, io))
  } finally {
    await crm.close()
  }
}

async function writerFor(
  crm: Crm,
  operation: Operation,
  input: Row,
  format: ExportFormat,
  { raw, bom, owners }: ExportFlags,
): Promise<Writer<string | Uint8Array>> {
  if (!hasColumns(format)) return format === 'json' ? jsonOf : ndjsonOf
  const description = operation.record.userDefined ? await crm.describe({ RecordType: operation.record.name }) : { RecordTypes: [], CustomObjects: [] }
  const columns = withOwnerColumns(exportColumns(operation, input, description), owners)
  const flattened = (row: Row) => flatRecord(operation, row)
  if (format === 'csv') return csvOf(columns, flattened, { raw: raw === true, bom: bom === true })
  return workbookOf(columns, operation.record, kindOf(operation).plural, flattened)
}

async function writeAll(
  pages: AsyncIterable<readonly Row[]>,
  writer: Writer<string | Uint8Array>,
  output: Output,
  { signal, progress }: Watched,
  table: string,
  all: number | undefined,
): Promise<number> {
  let done = 0
  async function* counted() {
    for await (const rows of pages) {
      signal.throwIfAborted()
      yield rows
      done += rows.length
      progress?.({ stage: 'exported', table, done, rows: all, part: all === undefined ? undefined : all === 0 ? 1 : Math.min(1, done / all) })
    }
    // The pages end without an error when the signal aborts, and then are not all of them.
    signal.throwIfAborted()
  }
  for await (const piece of writer(counted())) {
    if (!output.isRead()) break
    await output.write(piece)
  }
  return done
}
