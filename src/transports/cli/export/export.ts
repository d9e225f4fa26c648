import type { Command } from 'commander'
import type { Crm } from '../../../contract/client/client.ts'
import type { Operation } from '../../../contract/operation.ts'
import { OPERATIONS } from '../../../contract/operations.ts'
import { type Shell, settingsOf } from '../app.ts'
import type { Row } from '../cells.ts'
import { withFlags } from '../flags.ts'
import { operationAt } from '../further-fields.ts'
import { note } from '../io.ts'
import { settled } from '../loose.ts'
import { formatOf, present } from '../output.ts'
import { type Watched, watched } from '../progress.ts'
import { exportedBy, kindOf, unknownRecords } from './exported.ts'
import { csvOf, type Format, formatFor, hasColumns, jsonOf, ndjsonOf, type Writer } from './format.ts'
import { columnsOf, flat, recordsOf } from '../../../files/exporting/records.ts'
import { fileTarget, outputTarget, type Target } from './target.ts'
import { refuseTooMany, workbookOf } from '../../../files/exporting/workbook.ts'

export interface Given {
  readonly to?: string
  readonly format?: Format
  readonly force?: true
  readonly spreadsheet?: true
  readonly workspace?: string
}

/** Writes all records that match to a file or to standard output. */
export async function runExport(shell: Shell, name: string, given: Given, command: Command): Promise<void> {
  const { io } = shell
  const named = exportedBy(name)
  if (!named) throw unknownRecords(name)
  const path = given.to === '-' ? undefined : given.to
  const format = formatFor(path, given.format)
  const began = performance.now()
  const flags = settingsOf(command, shell)
  const crm = await shell.client(flags, { workspace: given.workspace, mustExist: true })
  try {
    const operation = await operationAt(shell, flags, crm, named, command.opts<Row>(), hasColumns(format))
    const input = await settled(withFlags({}, command.opts<Row>(), operation), crm)
    const writer = await writerFor(crm, operation, input, format, given.spreadsheet === true)
    const all = await totalOf(crm, operation, input)
    if (format === 'xlsx') refuseTooMany(all ?? 0)
    const { name: recordType, plural } = kindOf(operation)
    const target = path === undefined ? outputTarget(io) : await fileTarget(path, given.force === true)
    const records = await watched(
      io,
      async (how) => {
        try {
          return await writeAll(recordsOf(crm, operation, input, how.signal), writer, target, how, plural, all)
        } catch (error) {
          await target.drop()
          throw error
        }
      },
      'No file was written.',
    )
    const bytes = await target.done()
    const seconds = Math.round((performance.now() - began) / 10) / 100
    const summary: Row = { File: path ?? null, RecordType: recordType, Records: records, Bytes: bytes, Seconds: seconds }
    if (path === undefined) note(io, `${records.toLocaleString('en')} ${plural} exported.`)
    else await present(io, summary, formatOf(command, io))
  } finally {
    await crm.close()
  }
}

async function writerFor(crm: Crm, operation: Operation, input: Row, format: Format, forSpreadsheets: boolean): Promise<Writer> {
  if (!hasColumns(format)) return format === 'json' ? jsonOf : ndjsonOf
  const columns = await columnsOf(crm, operation, input)
  const flattened = (row: Row) => flat(operation, row)
  if (format === 'csv') return csvOf(columns, flattened, forSpreadsheets)
  return workbookOf(columns, operation.record, kindOf(operation).plural, flattened)
}

async function writeAll(
  pages: AsyncIterable<readonly Row[]>,
  writer: Writer,
  target: Target,
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
    // Pages end quietly when they are called off, and what has come so far is not all.
    signal.throwIfAborted()
  }
  for await (const piece of writer(counted())) {
    if (!target.isRead()) break
    await target.write(piece)
  }
  return done
}

/** How many there are, where a summary knows that without looking. */
async function totalOf(crm: Crm, { record }: Operation, { Filters }: Row): Promise<number | undefined> {
  const summary = OPERATIONS.find((one) => one.record.name === record.name && one.verb === 'getSummary')
  if (!summary || Filters !== undefined) return undefined
  return ((await crm.call(summary.id as string, {})) as { Total: number }).Total
}
