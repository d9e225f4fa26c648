import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Batch } from '../../contract/batch.ts'
import { batchExample } from '../../contract/batch.ts'
import { CrmError, type Problem } from '../../contract/errors.ts'
import { type Audited, verifyAudit } from '../../core/journal/audit.ts'
import { onStore, onStoreOnly, type Shell, settingsOf } from './app.ts'
import type { Row } from './cells.ts'
import { readStandardInput } from './input.ts'
import { callOptions, confirmationFlags, confirmed, idempotencyFlags, type SafetyFlags, whereFlags } from './operation-command.ts'
import { formatOf, present, viewOf, withOutput, writeLines } from './output.ts'
import { createLine } from './progress.ts'
import { parseJson } from './values.ts'
import { rowLines } from './views.ts'

interface Result {
  readonly Status: number
  readonly Result?: Row
  readonly Error?: Problem
  readonly ChangeID?: string
  readonly Replayed?: true
}

/** The commands that work with the journal. */
export function journalCommands(program: Command, shell: Shell): void {
  const { io } = shell
  const batch = program
    .command('batch')
    .description('Execute many calls in one go, from a file or standard input')
    .argument('[file]', 'the calls as JSON; - or none reads them from standard input')
    .addHelpText('after', `\nThe calls look like this, with "Atomic": true where it is to be all or nothing:\n  ${JSON.stringify(batchExample)}`)
    .addHelpText('after', `\nExample:\n  crm batch calls.json --idempotency-key import-monday-1`)
    .action(async (file: string | undefined, given: SafetyFlags & { workspace?: string }, command: Command) => {
      const input = file === undefined || file === '-' ? parseJson(await readStandardInput(io), 'Standard input') : parseJson(readText(file), file)
      const crm = await shell.client(settingsOf(command, shell), { workspace: given.workspace })
      try {
        const answer = await confirmed(shell, undefined, (more) => crm.batch(input as Batch, { ...callOptions(given), ...more }))
        const results = answer.Results as readonly Result[]
        if (formatOf(command, io) === 'table') await writeLines(io, rowLines(results.map(resultRow), viewOf(io)))
        else await present(io, answer, 'json')
        refuseIfRefused(results)
      } finally {
        await crm.close()
      }
    })
  idempotencyFlags(batch)
  confirmationFlags(batch)
  withOutput(batch, ['json', 'table'])
  whereFlags(batch, shell)

  const audit = program.command('audit').description('Verify the audit').helpCommand(false).addHelpText('after', '\nExample:\n  crm audit verify')
  withOutput(onStoreOnly(audit.command('verify'), shell), ['json', 'table'])
    .description('Go through the chain of changes and report every line that was altered or is missing')
    .option('--workspace <name>', 'only this workspace')
    .option('--head <number:seal>', 'a Head printed earlier, which must still be part of the chain; with --workspace where there are several')
    .addHelpText('after', '\nExample:\n  crm audit verify')
    .action(async (given: { workspace?: string; head?: string }, command: Command) => {
      const head = readHead(given.head)
      const line = createLine(io.stderr, io.stderr.isTTY === true)
      const progress = (workspace: string, lines: number) => line.show(() => `${workspace}: ${lines.toLocaleString('en')} lines verified`)
      const audit = { workspace: given.workspace, head, progress }
      const reports = await onStore(shell, settingsOf(command, shell), (service) => verifyAudit(service, audit))
      line.clear()
      await present(io, { Workspaces: reports.map(shownReport) }, formatOf(command, io))
      const broken = reports.flatMap(({ faults }) => faults).length
      if (broken > 0) throw new CrmError('conflict', `The audit does not verify: ${broken === 1 ? 'there is a fault' : `there are ${broken} faults`}.`)
    })
}

/** What became of one call, in a line. */
function resultRow({ Status, Result, Error: refusal, ChangeID, Replayed }: Result, i: number): Row {
  const [, id] = Object.entries(Result ?? {}).find(([name]) => name.endsWith('ID')) ?? []
  return { Call: i, Status, RecordID: id ?? null, ChangeID: ChangeID ?? null, Remark: refusal?.detail ?? (Replayed ? 'replayed' : null) }
}

function refuseIfRefused(results: readonly Result[]): void {
  const refusals = results.flatMap(({ Error: refusal }, i) => (refusal ? [{ i, refusal }] : []))
  // In an atomic batch most are refused only because another one was.
  const [first] = [...refusals.filter(({ refusal }) => !refusal.errors?.[0]?.field.startsWith('Operations.')), ...refusals]
  if (first) throw new CrmError(first.refusal.code, `Refused: ${refusals.length} of ${results.length} calls. Call ${first.i}: ${first.refusal.detail}`)
}

export function shownReport({ workspace, lines, head, unsealed, released, faults }: Audited) {
  return {
    Workspace: workspace,
    Verified: faults.length === 0,
    Lines: lines,
    Head: `${head.number}:${head.seal}`,
    Unsealed: unsealed,
    Released: released,
    Faults: faults.map(({ number, changeId, fault }) => ({ Number: number, ChangeID: changeId, Fault: fault })),
  }
}

function readHead(text: string | undefined): { number: number; seal: string } | undefined {
  if (text === undefined) return undefined
  // A chain without lines has no seal yet.
  const [, number, seal] = /^(?=0:$|\d+:.)(\d{1,15}):([\w-]{43}|)$/.exec(text) ?? []
  if (number === undefined || seal === undefined)
    throw new CrmError('invalid_input', '--head is not a Head as crm audit verify prints it.', {
      hint: 'It looks like 42:GobSUhw1tsskFDlwWjkvOPMRYr_0ANPQ7bxIUsr-9I0.',
    })
  return { number: Number(number), seal }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CrmError('not_found', `${file} cannot be read: ${(error as Error).message}`)
  }
}
