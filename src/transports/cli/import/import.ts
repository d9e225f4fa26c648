import { basename } from 'node:path'
import type { Command } from 'commander'
import { CrmError } from '../../../contract/errors.ts'
import { nameOfRun, RowKeys } from '../../../files/planning/row-keys.ts'
import { importFile, type Tally } from '../../../files/sending/import-file.ts'
import { createSender } from '../../../files/sending/sender.ts'
import { type Shell, settingsOf } from '../app.ts'
import type { Row } from '../cells.ts'
import { note } from '../io.ts'
import { formatOf, present } from '../output.ts'
import { type Watched, watched } from '../progress.ts'
import { sha256 } from './digest.ts'
import { createPlanner } from '../../../files/planning/row-planner.ts'
import { draftFor, type Said } from './plan.ts'
import { goAhead, showPreview } from './preview.ts'
import { createRejects, type Rejects } from './rejects.ts'
import { type HowToRead, openRowFile, sampleOf } from '../../../files/reading/row-file.ts'

export interface Given extends Said, HowToRead {
  readonly yes?: true
  readonly dryRun?: true
  readonly rejects?: string
  readonly run?: string
  readonly workspace?: string
}

const WITHOUT_OWNER = 'Leave the column out with --ignore OwnerID.'

const KEPT = 'What was imported is kept: the same command goes on from there.'

/** Shows what a file would become, asks, and imports it. */
export async function runImport(shell: Shell, path: string, given: Given, command: Command): Promise<void> {
  const { io } = shell
  const file = await openRowFile(path, given)
  const sample = await sampleOf(file)
  const crm = await shell.client(settingsOf(command, shell), { workspace: given.workspace })
  try {
    if (sample.rows.length === 0) {
      const draft = sample.names?.length ? await draftFor(crm, file, sample, given) : undefined
      const summary = summaryOf(path, draft?.destination.type.name, { rows: 0, created: 0, known: 0 }, given)
      await present(io, { ...summary, Seconds: 0 }, formatOf(command, io))
      return note(io, `${path} has no rows, so that there was nothing to import.`)
    }
    const draft = await draftFor(crm, file, sample, given)
    await showPreview(io, crm, file, sample.rows, draft)
    if (!given.dryRun) await goAhead(io, file, draft, given.yes === true)

    const began = performance.now()
    const rejects = createRejects(file, given.rejects)
    const { type } = draft.destination
    const take = async (how: Watched): Promise<Tally> => {
      const send = createSender(crm, draft.destination, { dryRun: given.dryRun === true, signal: how.signal, digest: sha256, withoutOwner: WITHOUT_OWNER })
      const plan = createPlanner({ ...draft, keys: new RowKeys(given.run ?? nameOfRun(basename(path)), sha256) })
      try {
        const tally = await importFile({ file, plan, send, rejects, stage: given.dryRun ? 'checked' : 'imported', what: type.plural }, how)
        how.signal.throwIfAborted()
        return tally
      } catch (error) {
        rejects.end()
        throw error instanceof CrmError && !given.dryRun ? goingOn(error) : error
      }
    }
    const tally = await watched(io, take, given.dryRun ? 'Nothing was imported.' : KEPT)
    const { rows, known, fault } = tally
    const left = rejects.end()
    await present(io, { ...summaryOf(path, type.name, tally, given, rejects.count, left), Seconds: secondsSince(began) }, formatOf(command, io))
    if (known > 0) note(io, `${known.toLocaleString('en')} rows were imported before, and were not made again; --run NAME would make them once more.`)
    if (fault !== undefined) throw fault instanceof CrmError ? unreadOn(fault, tally, rejects, left, given.dryRun === true) : fault
    refuseIfRejected(rejects, rows, left)
  } finally {
    await crm.close()
  }
}

/** What stopped an import, and that it is not lost. */
const goingOn = (error: CrmError) =>
  new CrmError(error.code, error.message, { ...error, cause: error, hint: error.hint === undefined ? KEPT : `${error.hint} ${KEPT}` })

const secondsSince = (began: number) => Math.round((performance.now() - began) / 10) / 100

function summaryOf(path: string, recordType: string | undefined, { rows, created, known }: Tally, { dryRun }: Given, rejected = 0, left?: string): Row {
  const became = dryRun ? { DryRun: true, Good: created } : { Created: created, AlreadyThere: known }
  return { File: path, RecordType: recordType ?? null, Rows: rows, ...became, Rejected: rejected, Rejects: left ?? null }
}

/** What is in the way of reading on, what became of the rows before it, and how to go on. */
function unreadOn(fault: CrmError, { rows, created, known }: Tally, { count }: Rejects, left: string | undefined, isDry: boolean): CrmError {
  const shown = (number: number) => number.toLocaleString('en')
  const before = `Of the ${shown(rows)} ${rows === 1 ? 'row' : 'rows'} before it ${shown(created + known)} ${isDry ? 'can be' : 'are'} imported`
  const rejected = count === 0 ? '.' : `, and ${shown(count)} rejected: see ${left}.`
  const onwards = isDry ? undefined : 'Once it is mended the same command goes on from there.'
  return new CrmError(fault.code, fault.message, { ...fault, cause: fault, hint: [fault.hint, `${before}${rejected}`, onwards].filter(Boolean).join(' ') })
}

function refuseIfRejected({ count, first }: Rejects, rows: number, file: string | undefined): void {
  if (count === 0) return
  throw new CrmError('invalid_input', `Rejected: ${count.toLocaleString('en')} of ${rows.toLocaleString('en')} rows.`, {
    errors: first.map(({ row, error }) => ({ field: `line ${row.line}`, code: 'value', message: error })),
    hint: `All of them are in ${file}, each with its line and what is wrong. Mend them there, and import that file.`,
  })
}
