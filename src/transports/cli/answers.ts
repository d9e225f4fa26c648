import type { Crm } from '../../contract/client/client.ts'
import type { CallOutcome } from '../../contract/client/transport.ts'
import type { Operation } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import { undoChange } from '../../contract/records/change.ts'
import { allPages, isPaged, listOf, pageOf } from '../../files/exporting/pages.ts'
import type { Row } from './cells.ts'
import { commandLine, type Destination } from './command-line.ts'
import { inputsOf } from './flags.ts'
import { type Io, note } from './io.ts'
import { type Format, present, viewOf, writeLines } from './output.ts'
import { counted, printPages } from './pages.ts'
import { paintFor } from './paint.ts'
import { differenceLines } from './views.ts'

/** A call and the format of its answer. */
export interface AnsweredCall {
  readonly io: Io
  readonly operation: Operation
  readonly input: Row
  readonly format: Format
  readonly destination: Destination
}

/** Prints one answer: a record, a page, a summary, or what a write would do. */
export async function printAnswer(call: AnsweredCall, answer: Row): Promise<void> {
  const { io, operation, input, format, destination } = call
  const view = viewOf(io, { record: operation.record })
  if (answer.DryRun === true && format === 'table') {
    await writeLines(io, differenceLines(answer, view))
    printNotes(io, ['Nothing was written: this is what would be.'])
  } else if (listOf(operation) === undefined || format === 'json') await present(io, answer, format, view)
  else {
    const { count, next, leftOut } = await printPages(call, [pageOf(operation, answer)])
    const more = isPaged(operation) && next !== null
    const footer = `${counted(operation, count)}${more ? ', and more; --all shows them all.' : '.'}`
    // CSV does not show that there are more records.
    if (format === 'csv' && more) printNotes(io, [footer])
    if (format === 'table')
      printNotes(io, [
        footer,
        ...(typeof answer.AsOf === 'string' ? [`From the mirror, as of ${answer.AsOf}. --fresh asks the CRM itself.`] : []),
        ...(more ? [`Next page: ${commandLine(operation, { ...input, Cursor: next }, destination)}`] : []),
        ...noRoomFor(leftOut, call),
      ])
  }
}

/** Prints all pages as they come. */
export async function printAll(call: AnsweredCall, crm: Crm): Promise<void> {
  const { io, operation, input, format } = call
  const { count, leftOut } = await printPages(call, allPages(crm, operation, input, io.unread))
  if (format === 'table') printNotes(io, [`${counted(operation, count)}.`, ...noRoomFor(leftOut, call)])
}

/** Columns that a terminal is too narrow for, and how to see them all the same. */
function noRoomFor(leftOut: readonly string[], { operation, input, destination }: AnsweredCall): string[] {
  if (leftOut.length === 0) return []
  const selects = Object.hasOwn(inputsOf(operation), 'Select') && !Object.hasOwn(input, 'Select')
  const how = selects ? `See them with: ${commandLine(operation, { ...input, Select: leftOut }, destination)}` : '--output json shows everything.'
  return [`No room for ${leftOut.join(', ')}. ${how}`]
}

/** Shows the audit line of a write, and how to undo it. */
export function printOutcome({ io, operation, destination }: AnsweredCall, { changeId, replayed }: CallOutcome): void {
  const { dim } = paintFor(io.stderr, io.env)
  if (replayed) note(io, dim('This call ran before with the same --idempotency-key: this is the answer it got then.'))
  if (changeId === undefined) return
  note(io, dim(isUndoable(operation) ? `Undo it with: ${commandLine(undoChange, { ChangeID: changeId }, destination)}` : `Change ${changeId}`))
}

/** Users, keys, webhooks and what was erased cannot be brought back. */
const isUndoable = ({ record, id }: Operation) => id === undoChange.id || !STORE_TYPES.includes(record.name)

function printNotes({ stderr, env }: Io, lines: readonly string[]): void {
  const { dim } = paintFor(stderr, env)
  stderr.write(lines.map((line) => `${dim(line)}\n`).join(''))
}
