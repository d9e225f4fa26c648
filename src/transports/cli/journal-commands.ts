import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { batchExample } from '../../contract/batch.ts'
import { CrmError } from '../../contract/errors.ts'
import { type Audited, verifyAudit } from '../../core/audit.ts'
import { localAdmin } from '../../core/authenticate.ts'
import { executeBatch } from '../../core/batch.ts'
import { type Doors, onStore, settingsOf, withSettings } from './doors.ts'
import { idempotencyFlags, parseJson, readStandardInput } from './operation-command.ts'
import { printResult } from './output.ts'

/** The commands that work with the journal. */
export function journalCommands(program: Command, doors: Doors): void {
  const batch = withSettings(program.command('batch'), doors)
    .description('Carry out many calls in one go, from a file or standard input')
    .argument('[file]', 'the calls as JSON; - or none reads them from standard input')
    .addHelpText('after', `\nThe calls look like this, with "Atomic": true where it is to be all or nothing:\n  ${JSON.stringify(batchExample)}`)
    .option('--workspace <name>', 'the workspace to work in', 'default')
    .action(async (file: string | undefined, given: { workspace: string; idempotencyKey?: string; dryRun?: true }, command: Command) => {
      const input = file === undefined || file === '-' ? parseJson(await readStandardInput(), 'Standard input') : parseJson(readText(file), file)
      const answer = await onStore(doors, settingsOf(command, doors), async (service) =>
        executeBatch(service, {
          operation: 'batch',
          input,
          caller: await localAdmin(service, given.workspace),
          transport: 'cli',
          idempotencyKey: given.idempotencyKey,
          dryRun: given.dryRun === true,
        }),
      )
      printResult({ Results: answer.Results })
      const refusals = answer.Results.flatMap(({ Error: refusal }, i) => (refusal ? [{ i, refusal }] : []))
      // In an atomic batch most are refused only because another one was.
      const [first] = [...refusals.filter(({ refusal }) => !refusal.errors?.[0]?.field.startsWith('Operations.')), ...refusals]
      if (first)
        throw new CrmError(first.refusal.code, `Refused: ${refusals.length} of ${answer.Results.length} calls. Call ${first.i}: ${first.refusal.detail}`)
    })
  idempotencyFlags(batch)

  const audit = program.command('audit').description('Verify the audit')
  withSettings(audit.command('verify'), doors)
    .description('Go through the chain of changes and report every line that was altered or is missing')
    .option('--workspace <name>', 'only this workspace')
    .option('--head <number:seal>', 'a Head printed earlier, which must still be part of the chain; with --workspace where there are several')
    .action(async (given: { workspace?: string; head?: string }, command: Command) => {
      const head = readHead(given.head)
      const audit = { workspace: given.workspace, head, ...(process.stderr.isTTY && { progress: showProgress }) }
      const reports = await onStore(doors, settingsOf(command, doors), (service) => verifyAudit(service, audit), true)
      if (process.stderr.isTTY) process.stderr.write('\n')
      printResult({ Workspaces: reports.map(shownReport) })
      const broken = reports.flatMap(({ faults }) => faults).length
      if (broken > 0) throw new CrmError('conflict', `The audit does not verify: ${broken === 1 ? 'there is a fault' : `there are ${broken} faults`}.`)
    })
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

function showProgress(workspace: string, lines: number): void {
  process.stderr.write(`\r\u001b[K${workspace}: ${lines.toLocaleString('en')} lines verified`)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CrmError('not_found', `${file} cannot be read: ${(error as Error).message}`)
  }
}
