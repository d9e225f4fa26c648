import type { Crm } from '../../contract/client/client.ts'
import type { CallOutcome } from '../../contract/client/transport.ts'
import type { Operation } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import { undoChange } from '../../contract/records/change.ts'
import { allPages, isPaged, listOf, pageOf } from '../../files/exporting/pages.ts'
import type { Row } from './cells.ts'
import { commandLine, type Said } from './command-line.ts'
import { inputsOf } from './flags.ts'
import { type Io, note } from './io.ts'
import { type Format, present, viewOf, writeLines } from './output.ts'
import { counted, printPages } from './pages.ts'
import { paintFor } from './paint.ts'
import { differenceLines } from './views.ts'

/** What was asked, of whom, and how the answer is wanted. */
export interface Asked {
  readonly io: Io
  readonly operation: Operation
  readonly input: Row
  readonly format: Format
  readonly said: Said
}

/** Prints one answer: a record, a page, a summary, or what a write would do. */
export async function printAnswer(asked: Asked, answer: Row): Promise<void> {
  const { io, operation, input, format, said } = asked
  const view = viewOf(io, { record: operation.record })
  if (answer.DryRun === true && format === 'table') {
    await writeLines(io, differenceLines(answer, view))
    tell(io, ['Nothing was written: this is what would be.'])
  } else if (listOf(operation) === undefined || format === 'json') await present(io, answer, format, view)
  else {
    const { count, next, leftOut } = await printPages(asked, [pageOf(operation, answer)])
    const more = isPaged(operation) && next !== null
    const footer = `${counted(operation, count)}${more ? ', and more; --all shows them all.' : '.'}`
    // A file does not tell that it is only the beginning.
    if (format === 'csv' && more) tell(io, [footer])
    if (format === 'table')
      tell(io, [footer, ...(more ? [`Next page: ${commandLine(operation, { ...input, Cursor: next }, said)}`] : []), ...noRoomFor(leftOut, asked)])
  }
}

/** Prints all pages as they come. */
export async function printAll(asked: Asked, crm: Crm): Promise<void> {
  const { io, operation, input, format } = asked
  const { count, leftOut } = await printPages(asked, allPages(crm, operation, input, io.unread))
  if (format === 'table') tell(io, [`${counted(operation, count)}.`, ...noRoomFor(leftOut, asked)])
}

/** Columns that a terminal is too narrow for, and how to see them all the same. */
function noRoomFor(leftOut: readonly string[], { operation, input, said }: Asked): string[] {
  if (leftOut.length === 0) return []
  const selects = Object.hasOwn(inputsOf(operation), 'Select') && !Object.hasOwn(input, 'Select')
  const how = selects ? `See them with: ${commandLine(operation, { ...input, Select: leftOut }, said)}` : '--output json shows everything.'
  return [`No room for ${leftOut.join(', ')}. ${how}`]
}

/** Tells a person which line of the audit a write has left, and how to take it back. */
export function tellOutcome({ io, operation, said }: Asked, { changeId, replayed }: CallOutcome): void {
  const { dim } = paintFor(io.stderr, io.env)
  if (replayed) note(io, dim('This was carried out before with the same --idempotency-key: the answer is the one of then.'))
  if (changeId === undefined) return
  note(io, dim(isUndoable(operation) ? `Undo it with: ${commandLine(undoChange, { ChangeID: changeId }, said)}` : `Change ${changeId}`))
}

/** Users, keys, webhooks and what was erased cannot be brought back. */
const isUndoable = ({ record, id }: Operation) => id === undoChange.id || !STORE_TYPES.includes(record.name)

function tell({ stderr, env }: Io, lines: readonly string[]): void {
  const { dim } = paintFor(stderr, env)
  stderr.write(lines.map((line) => `${dim(line)}\n`).join(''))
}
