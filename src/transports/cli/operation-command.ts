import type { Command } from 'commander'
import type { CallOptions, CallOutcome, Crm } from '../../contract/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY, isIdempotencyKey } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import { isRow, type Row } from './cells.ts'
import { commandLine, type Said } from './command-line.ts'
import { type Shell, settingsOf, withSettings } from './doors.ts'
import { hasInputs, inputFlags, requiredOf, withFlags } from './flags.ts'
import { ask, readWhole } from './input.ts'
import { isAttended, note } from './io.ts'
import { settled } from './loose.ts'
import { type Format, formatOf, present, viewOf, withOutput, writeLines } from './output.ts'
import { allPages, counted, isPaged, listOf, pageOf, printPages } from './pages.ts'
import { paintFor } from './paint.ts'
import { differenceLines } from './views.ts'

interface Given {
  readonly json?: string
  readonly workspace?: string
  readonly all?: true
  readonly idempotencyKey?: string
  readonly dryRun?: true
  readonly confirmation?: string
}

/** One operation as a command, its flags made from its input schema. Where it is only listed it needs none. */
export function operationCommand(program: Command, shell: Shell, operation: Operation, called: { readonly as: string; readonly words: readonly string[] } | undefined): void {
  const command = program.command(operation.id).description(operation.summary)
  if (!called) return
  if (called.as !== operation.id) command.alias(called.as)
  command.optionsGroup('Input:')
  inputFlags(command, operation, called.words)
  command.option('--json <object>', 'the whole input as JSON, or - to read it from standard input; flags go on top')
  if (operation.effect !== 'read') {
    command.optionsGroup('Safety:')
    idempotencyFlags(command)
    if (operation.effect === 'delete') command.option('--confirmation <token>', 'confirms a delete that had to be planned first')
  }
  command.optionsGroup('Output:')
  withOutput(command)
  if (isPaged(operation)) command.option('--all', 'follow the pages to the end; as JSON one record a line')
  whereFlags(command, shell)
  command.addHelpText('after', `\nExample:\n  ${commandLine(operation, operation.example as Row)}`).action((_, self: Command) => run(shell, operation, self))
}

async function run(shell: Shell, operation: Operation, command: Command): Promise<void> {
  const { io } = shell
  const given = command.opts<Given & Row>()
  const format = formatOf(command, io)
  const said: Said = { flags: settingsOf(command, shell), workspace: given.workspace }
  const whole = await readWhole(io, given.json, requiredOf(operation).length > 0 && !hasInputs(given, operation))
  const asked = isRow(whole) ? withFlags(whole, given, operation) : whole
  const crm = await shell.client(said.flags, { workspace: given.workspace })
  try {
    const input = isRow(asked) ? await settled(asked, crm) : asked
    if (given.all && isRow(input)) return await printAll(shell, crm, operation, input, format, said)
    let outcome: CallOutcome = {}
    const options: CallOptions = {
      ...(given.idempotencyKey !== undefined && { idempotencyKey: given.idempotencyKey }),
      ...(given.confirmation !== undefined && { confirmation: given.confirmation }),
      dryRun: given.dryRun === true,
      onOutcome: (known) => {
        outcome = known
      },
    }
    const answer = (await confirmed(shell, operation, (more) => crm.call(operation.id, input, { ...options, ...more }))) as Row
    await printAnswer(shell, operation, isRow(input) ? input : {}, answer, format, said)
    if (operation.effect !== 'read' && !given.dryRun) tellOutcome(shell, operation, outcome, said)
  } finally {
    await crm.close()
  }
}

/** Shows a person what has to be confirmed, and asks; for everyone else it stays refused. */
async function confirmed(shell: Shell, { record }: Operation, call: (more?: CallOptions) => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof CrmError) || !error.plan || !isAttended(shell.io)) throw error
    const { Operation: id, Token, Preview } = error.plan
    const { stderr, env } = shell.io
    stderr.write(`${differenceLines(Preview, { ...viewOf(shell.io), paint: paintFor(stderr, env), record }).join('\n')}\n`)
    if (!/^y(es)?$/i.test(await ask(shell.io, `Carry out ${id}? [y/N] `))) throw new CrmError('conflict', 'It was not confirmed, and nothing was done.')
    return call({ confirmation: Token })
  }
}

async function printAll({ io }: Shell, crm: Crm, operation: Operation, input: Row, format: Format, said: Said): Promise<void> {
  const { count, leftOut } = await printPages(io, operation, input, allPages(crm, operation, input, io.unread), format)
  if (format === 'table') tellFooter(io, [`${counted(operation, count)}.`, ...narrow(leftOut, operation, input, said)])
}

async function printAnswer({ io }: Shell, operation: Operation, input: Row, answer: Row, format: Format, said: Said): Promise<void> {
  const view = viewOf(io, { record: operation.record })
  if (answer.DryRun === true && format === 'table') {
    await writeLines(io, differenceLines(answer, view))
    tellFooter(io, ['Nothing was written: this is what would be.'])
  } else if (listOf(operation) === undefined || format === 'json') await present(io, answer, format, view)
  else {
    const { count, last, leftOut } = await printPages(io, operation, input, [pageOf(operation, answer)], format)
    const more = isPaged(operation) && last?.next ? last.next : undefined
    const next = more === undefined ? [] : [`Next page: ${commandLine(operation, { ...input, Cursor: more }, said)}`]
    const footer = `${counted(operation, count)}${more === undefined ? '.' : ', and more; --all shows them all.'}`
    if (format === 'table') tellFooter(io, [footer, ...next, ...narrow(leftOut, operation, input, said)])
    // A file does not tell that it is only the beginning.
    else if (more !== undefined) tellFooter(io, [footer])
  }
}

const narrow = (leftOut: readonly string[], operation: Operation, input: Row, said: Said) =>
  leftOut.length === 0 || Object.hasOwn(input, 'Select')
    ? leftOut.length === 0
      ? []
      : [`No room for ${leftOut.join(', ')}; --output json shows everything.`]
    : [`No room for ${leftOut.join(', ')}. ${selectable(operation) ? `Choose with: ${commandLine(operation, { ...input, Select: leftOut }, said)}` : '--output json shows everything.'}`]

const selectable = (operation: Operation) => Object.hasOwn((operation.input as { properties?: object }).properties ?? {}, 'Select')

function tellFooter({ stderr, env }: Shell['io'], lines: readonly string[]): void {
  const paint = paintFor(stderr, env)
  stderr.write(lines.map((line) => `${paint.dim(line)}\n`).join(''))
}

/** Tells a person what line of the audit was left, and how to take it back. */
function tellOutcome({ io }: Shell, operation: Operation, { changeId, replayed }: CallOutcome, { flags, workspace }: Said): void {
  const paint = paintFor(io.stderr, io.env)
  if (replayed) note(io, paint.dim('This was carried out before with the same --idempotency-key; the answer is the one of then.'))
  if (changeId === undefined) return
  const where = Object.entries({ ...flags, workspace }).flatMap(([name, value]) => (value === undefined ? '' : ` --${name} ${value}`))
  note(io, paint.dim(isUndoable(operation) ? `Undo it with: crm undo_change --ChangeID ${changeId}${where.join('')}` : `Change ${changeId}`))
}

/** Users, keys, webhooks and what was erased cannot be brought back. */
const isUndoable = ({ record, verb }: Operation) => verb === 'undoChange' || !STORE_TYPES.includes(record.name)

/** Where a command goes. */
export function whereFlags(command: Command, shell: Shell): Command {
  command.optionsGroup('Where:')
  return withSettings(command, shell).option('--workspace <name>', 'the workspace to work in on the local store; default unless given')
}

/** What every write takes beside its input. */
export function idempotencyFlags(command: Command): void {
  command
    .option('--idempotency-key <key>', 'makes it safe to repeat: with the same key it is carried out once', readKey)
    .option('--dry-run', 'only say what would be written')
}

function readKey(key: string): string {
  if (isIdempotencyKey(key)) return key
  throw new CrmError('invalid_input', `--idempotency-key must be ${IDEMPOTENCY_KEY}.`)
}
