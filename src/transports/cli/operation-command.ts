import { type Command, Option } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import type { CallOptions, CallOutcome } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY, isIdempotencyKey } from '../../contract/limits.ts'
import { isDestructive, type Operation, overwrites } from '../../contract/operation.ts'
import type { RecordType } from '../../contract/record.ts'
import { CONFIRMABLE_IN_CALL, type ConfirmInCall } from '../../contract/records/plan.ts'
import { isPaged } from '../../files/exporting/pages.ts'
import { type AnsweredCall, printAll, printAnswer, printOutcome } from './answers.ts'
import { type Shell, settingsOf, withSettings } from './app.ts'
import { isRow, type Row } from './cells.ts'
import { commandLine, type Destination } from './command-line.ts'
import { hasInputs, inputFlags, requiredOf, withFlags } from './flags.ts'
import { furtherFlags, operationAt, refuseFurther } from './further-fields.ts'
import { askToGoOn, readWhole } from './input.ts'
import { isAttended } from './io.ts'
import { settled } from './loose.ts'
import { formatOf, viewOf, withOutput } from './output.ts'
import { paintFor } from './paint.ts'
import { printRemarks } from './remarks.ts'
import { printLeft, undoRest } from './undo-batch.ts'
import { batchLines, differenceLines } from './views.ts'

interface Given extends SafetyFlags {
  readonly json?: string
  readonly workspace?: string
  readonly all?: true
}

/** The flags of a write beside its input. */
export interface SafetyFlags {
  readonly idempotencyKey?: string
  readonly dryRun?: true
  readonly confirm?: true | ConfirmInCall
  readonly confirmation?: string
}

export const callOptions = ({ idempotencyKey, confirmation, dryRun, confirm }: SafetyFlags): CallOptions => ({
  ...(idempotencyKey !== undefined && { idempotencyKey }),
  ...(confirmation !== undefined && { confirmation }),
  dryRun: dryRun === true,
  confirm: confirm ?? false,
})

/** One operation as a command, its flags made from its input schema. Where it is only listed, and not called, it needs none. */
export function operationCommand(
  program: Command,
  shell: Shell,
  operation: Operation,
  called?: { readonly as: string; readonly words: readonly string[] },
): void {
  const command = program.command(operation.id).description(operation.summary)
  if (!called) return
  if (called.as !== operation.id) command.alias(called.as)
  command.optionsGroup('Input:')
  inputFlags(command, operation, called.words)
  command.option('--json <object>', 'the whole input as JSON, or - to read it from standard input; flags go on top')
  if (operation.effect !== 'read') {
    command.optionsGroup('Safety:')
    idempotencyFlags(command)
    // Undoing may take away what was created.
    if (isDestructive(operation) || overwrites(operation)) confirmationFlags(command, operation.confirmed)
  }
  // What sends something although it writes nothing cannot be tried, and says so.
  if (operation.sends) command.addOption(new Option('--dry-run').hideHelp())
  command.optionsGroup('Output:')
  withOutput(command)
  if (isPaged(operation)) command.option('--all', 'follow the pages to the end; as JSON one record a line')
  whereFlags(command, shell)
  const further = furtherFlags(command, operation, called.words)
  command
    .addHelpText('after', `\nExample:\n  ${commandLine(operation, operation.example as Row)}`)
    .action((_, self: Command) => run(shell, operation, self, further))
}

async function run(shell: Shell, called: Operation, command: Command, further: readonly string[]): Promise<void> {
  const { io } = shell
  const given = command.opts<Given & Row>()
  const destination: Destination = { flags: settingsOf(command, shell), workspace: given.workspace }
  const isNeeded = requiredOf(called).length > 0 && !hasInputs(given, called) && further.length === 0
  const whole = await readWhole(io, given.json, isNeeded)
  const format = formatOf(command, io)
  // Faulty flags are reported before anything is opened.
  if (isRow(whole)) withFlags(whole, given, called)
  const crm = await clientFor(shell, destination, further)
  try {
    // The columns of a file are those that there are.
    const operation = await operationAt(crm, called, given, further.length > 0 || (format === 'csv' && isPaged(called)))
    refuseFurther(further, operation)
    const wanted = isRow(whole) ? withFlags(whole, given, operation) : whole
    const input = isRow(wanted) ? await settled(wanted, crm) : wanted
    const answered: AnsweredCall = { io, operation, input: isRow(input) ? input : {}, format, destination }
    if (given.all && isRow(input)) return await printAll(answered, crm)
    let outcome: CallOutcome = {}
    const options: CallOptions = {
      ...callOptions(given),
      onOutcome: (known) => {
        outcome = known
      },
    }
    const send = () => confirmed(shell, operation.record, (more) => crm.call(operation.id as string, input, { ...options, ...more }))
    const first = (await send()) as Row
    // A dry run would answer the same again, and so would a key; a confirmation is of one call.
    const isOneCall = given.dryRun === true || given.idempotencyKey !== undefined || given.confirmation !== undefined
    const { answer, refusal } = isOneCall ? { answer: first } : await undoRest(answered, first, send)
    await printAnswer(answered, answer)
    if (refusal !== undefined) throw refusal
    if (isOneCall && !given.dryRun) printLeft(answered, answer, given.idempotencyKey !== undefined)
    if (operation.effect !== 'read') await printRemarks(answered, answer, outcome, { crm, hasKey: given.idempotencyKey !== undefined })
    if (operation.effect !== 'read' && !given.dryRun) printOutcome(answered, outcome)
  } finally {
    await crm.close()
  }
}

/** The client that a command calls. A store that is not there has defined no fields, and is not made for a flag that may be a slip. */
async function clientFor(shell: Shell, { flags, workspace }: Destination, further: readonly string[]): Promise<Crm> {
  try {
    return await shell.client(flags, { workspace, ...(further.length > 0 && { mustExist: true }) })
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_found') refuseFurther(further)
    throw error
  }
}

/** Asks for the confirmation at a terminal; without one the refusal stands. */
export async function confirmed<T>({ io }: Shell, record: RecordType | undefined, call: (more?: CallOptions) => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof CrmError) || error.plan?.Token === undefined || !isAttended(io)) throw error
    const { Operation: id, Token, Preview } = error.plan
    const view = { ...viewOf(io), paint: paintFor(io.stderr, io.env), record }
    io.stderr.write(`${(record ? differenceLines(Preview, view) : batchLines(Preview, view)).join('\n')}\n`)
    await askToGoOn(io, `Execute ${id}?`)
    return call({ confirmation: Token })
  }
}

/** Where a command goes. */
export function whereFlags(command: Command, shell: Shell): Command {
  command.optionsGroup('Where:')
  return withSettings(command, shell).option('--workspace <name>', 'the workspace to work in on the local store; default unless given')
}

/** What a write takes that may have to be confirmed. */
export function confirmationFlags(command: Command, always = false): void {
  command
    .addOption(
      new Option(
        '--confirm [how]',
        'plan it first, and ask before it is done; without a person to ask, show the token that confirms it. With person, another key has to allow it',
      )
        .choices(CONFIRMABLE_IN_CALL)
        .hideHelp(always),
    )
    .option('--confirmation <token>', 'confirms what had to be planned first')
}

/** What every write takes beside its input. */
export function idempotencyFlags(command: Command): void {
  command
    .option('--idempotency-key <key>', 'makes it safe to repeat: with the same key it runs once', readKey)
    .option('--dry-run', 'only say what would be written')
}

function readKey(key: string): string {
  if (isIdempotencyKey(key)) return key
  throw new CrmError('invalid_input', `--idempotency-key must be ${IDEMPOTENCY_KEY}.`)
}
