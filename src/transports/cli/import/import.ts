import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { CrmError } from '../../../contract/errors.ts'
import { type Findings, gatherFindings, NO_FINDINGS, newValuesText } from '../../../files/planning/findings.ts'
import { tellingFields } from '../../../files/planning/repeats.ts'
import { RowKeys, runNameOf } from '../../../files/planning/row-keys.ts'
import { createPlanner } from '../../../files/planning/row-planner.ts'
import { type HowToRead, openRowFile, sampleOf } from '../../../files/reading/row-file.ts'
import { importFile, type Tally } from '../../../files/sending/import-file.ts'
import { createSender } from '../../../files/sending/sender.ts'
import { type Shell, settingsOf } from '../app.ts'
import type { Row } from '../cells.ts'
import { note } from '../io.ts'
import { formatOf, present } from '../output.ts'
import { type Watched, watched } from '../progress.ts'
import { checksFor } from './check.ts'
import { sha256 } from './digest.ts'
import { fileSource } from './file-source.ts'
import { type PlanFlags, planFor } from './plan.ts'
import { confirmImport, showPreview } from './preview.ts'
import { createRejects, type Rejects } from './rejects.ts'

export interface ImportFlags extends PlanFlags, HowToRead {
  readonly yes?: true
  readonly dryRun?: true
  readonly rejects?: string
  readonly run?: string
  readonly workspace?: string
}

const ABSENT_OWNER = 'Leave the column out with --ignore OwnerID.'

const WRONG_ENCODING = 'Save it as UTF-8, or name its encoding: --encoding latin1 is what Excel writes in western Europe and America.'

const RESUMES = 'What was imported is kept: the same command goes on from there.'

/** Shows what a file would become, asks, and imports it. */
export async function runImport(shell: Shell, path: string, flags: ImportFlags, command: Command): Promise<void> {
  const { io } = shell
  const file = await openRowFile(fileSource(path), { ...flags, encodingHint: WRONG_ENCODING })
  const sample = await sampleOf(file)
  const crm = await shell.client(settingsOf(command, shell), { workspace: flags.workspace })
  try {
    if (sample.rows.length === 0) {
      const plan = sample.names?.length ? await planFor(crm, file, sample, flags) : undefined
      const summary = summaryOf(path, plan?.target.type.name, { rows: 0, created: 0, updated: 0, known: 0 }, flags)
      await present(io, { ...summary, Seconds: 0 }, formatOf(command, io))
      return note(io, `${path} has no rows, so that there was nothing to import.`)
    }
    const plan = await planFor(crm, file, sample, flags)
    await showPreview(io, crm, file, sample.rows, plan)
    if (!flags.dryRun) await confirmImport(io, file, plan, flags.yes === true)

    const began = performance.now()
    const rejects = createRejects(file, flags.rejects)
    const { type } = plan.target
    const batchId = randomUUID()
    let found: Findings = NO_FINDINGS
    const run = async (how: Watched): Promise<Tally> => {
      const send = createSender(crm, plan.target, { dryRun: flags.dryRun === true, signal: how.signal, digest: sha256, absentOwnerHint: ABSENT_OWNER, batchId })
      const findings = gatherFindings(crm, plan)
      const checked: typeof send = async (rows) => {
        const sent = await send(rows)
        const rejected = new Set(sent.rejected.map(({ row }) => row))
        await findings.add(rows.filter(({ row }) => !rejected.has(row)))
        return sent
      }
      const planRow = createPlanner(plan, { keys: new RowKeys(flags.run ?? runNameOf(basename(path)), sha256), ...checksFor(plan) })
      try {
        const tally = await importFile(
          { file, plan: planRow, send: flags.dryRun ? checked : send, rejects, stage: flags.dryRun ? 'checked' : 'imported', what: type.plural },
          how,
        )
        how.signal.throwIfAborted()
        if (flags.dryRun) found = await findings.result()
        return tally
      } catch (error) {
        rejects.end()
        throw error instanceof CrmError && !flags.dryRun ? resumable(error) : error
      }
    }
    const tally = await watched(io, run, flags.dryRun ? 'Nothing was imported.' : RESUMES)
    const { rows, known, fault } = tally
    const rejectsFile = rejects.end()
    const summary = summaryOf(path, type.name, tally, flags, rejects.count, rejectsFile)
    await present(io, { ...summary, BatchID: flags.dryRun ? null : batchId, Seconds: secondsSince(began) }, formatOf(command, io))
    if (known > 0) note(io, `${known.toLocaleString('en')} rows were imported before, and were not created again; --run NAME would create them once more.`)
    showFindings(io, found, tellingFields(plan))
    if (fault !== undefined) throw fault instanceof CrmError ? unreadableRest(fault, tally, rejects, rejectsFile, flags.dryRun === true) : fault
    refuseIfRejected(rejects, rows, rejectsFile)
  } finally {
    await crm.close()
  }
}

/** An error that stopped an import, with the hint that the import can be resumed. */
const resumable = (error: CrmError) =>
  new CrmError(error.code, error.message, { ...error, cause: error, hint: error.hint === undefined ? RESUMES : `${error.hint} ${RESUMES}` })

/** Beside the preview, also where it is no terminal. */
function showFindings({ stderr }: Shell['io'], { existing, newValues }: Findings, [field = '']: readonly string[]): void {
  for (const one of newValues) stderr.write(`${newValuesText(one)}\n`)
  if (existing === 0) return
  const rows = `${existing.toLocaleString('en')} ${existing === 1 ? 'row has' : 'rows have'}`
  stderr.write(`${rows} the ${field} of a record that is there already; --match ${field} would update it.\n`)
}

const secondsSince = (began: number) => Math.round((performance.now() - began) / 10) / 100

function summaryOf(
  path: string,
  recordType: string | undefined,
  { rows, created, updated, known }: Tally,
  { dryRun, match }: ImportFlags,
  rejected = 0,
  rejectsFile?: string,
): Row {
  const counts = dryRun ? { DryRun: true, Good: created + updated } : { Created: created, ...(match && { Updated: updated }), AlreadyThere: known }
  return { File: path, RecordType: recordType ?? null, Rows: rows, ...counts, Rejected: rejected, Rejects: rejectsFile ?? null }
}

/** What is in the way of reading on, what became of the rows before it, and how to go on. */
function unreadableRest(
  fault: CrmError,
  { rows, created, updated, known }: Tally,
  { count }: Rejects,
  rejectsFile: string | undefined,
  isDry: boolean,
): CrmError {
  const shown = (number: number) => number.toLocaleString('en')
  const before = `Of the ${shown(rows)} ${rows === 1 ? 'row' : 'rows'} before it ${shown(created + updated + known)} ${isDry ? 'can be' : 'are'} imported`
  const rejected = count === 0 ? '.' : `, and ${shown(count)} rejected: see ${rejectsFile}.`
  const resume = isDry ? undefined : 'Once it is corrected the same command goes on from there.'
  return new CrmError(fault.code, fault.message, { ...fault, cause: fault, hint: [fault.hint, `${before}${rejected}`, resume].filter(Boolean).join(' ') })
}

function refuseIfRejected({ count, first }: Rejects, rows: number, file: string | undefined): void {
  if (count === 0) return
  throw new CrmError('invalid_input', `Rejected: ${count.toLocaleString('en')} of ${rows.toLocaleString('en')} rows.`, {
    errors: first.map(({ row, error }) => ({ field: `line ${row.line}`, code: 'value', message: error })),
    hint: `All of them are in ${file}, each with its line and what is wrong. Correct them there, and import that file.`,
  })
}
