import { basename } from 'node:path'
import type { Command } from 'commander'
import { CrmError } from '../../../contract/errors.ts'
import { nameOfRun, RowKeys } from '../../../files/row-keys.ts'
import type { FileRow } from '../../../files/rows.ts'
import { importFile, type Tally } from '../../../files/run.ts'
import { createSender } from '../../../files/sender.ts'
import type { Row } from '../cells.ts'
import { type Shell, settingsOf } from '../doors.ts'
import { note } from '../io.ts'
import { formatOf, present } from '../output.ts'
import { type Watched, watched } from '../progress.ts'
import { sha256 } from './digest.ts'
import { createPlanner } from './plan.ts'
import { draftFor, type Said } from './planning.ts'
import { goAhead, showPreview } from './preview.ts'
import { createRejects, type Rejects } from './rejects.ts'
import { type HowToRead, openRowFile, type RowFile } from './row-file.ts'

export interface Given extends Said, HowToRead {
  readonly yes?: true
  readonly dryRun?: true
  readonly rejects?: string
  readonly run?: string
  readonly workspace?: string
}

/** Rows that the columns, the types of new fields and the preview are taken from. */
const SAMPLE = 1000

const WITHOUT_OWNER = 'Leave the column out with --ignore OwnerID.'

const KEPT = 'What was imported is kept: the same command goes on from there.'

/** Shows what a file would become, asks, and imports it. */
export async function runImport(shell: Shell, path: string, given: Given, command: Command): Promise<void> {
  const { io } = shell
  const file = await openRowFile(path, given)
  const sample = await sampleOf(file)
  const crm = await shell.client(settingsOf(command, shell), { workspace: given.workspace })
  try {
    const draft = await draftFor(crm, file, sample, given)
    // Whoever has said yes, and does not look on, need not be shown what they said yes to.
    if (!given.yes || io.stderr.isTTY) await showPreview(io, crm, file, sample, draft)
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
    const { rows, created, known } = await watched(io, take, given.dryRun ? 'Nothing was imported.' : KEPT)
    const left = rejects.end()
    const became = given.dryRun ? { DryRun: true, Good: created } : { Created: created, AlreadyThere: known }
    const summary: Row = {
      File: path,
      RecordType: type.name,
      Rows: rows,
      ...became,
      Rejected: rejects.count,
      Rejects: left ?? null,
      Seconds: secondsSince(began),
    }
    await present(io, summary, formatOf(command, io))
    if (known > 0) note(io, `${known.toLocaleString('en')} rows were imported before, and were not made again; --run NAME would make them once more.`)
    refuseIfRejected(rejects, rows, left)
  } finally {
    await crm.close()
  }
}

/** What stopped an import, and that it is not lost. */
const goingOn = (error: CrmError) =>
  new CrmError(error.code, error.message, { ...error, cause: error, hint: error.hint === undefined ? KEPT : `${error.hint} ${KEPT}` })

const secondsSince = (began: number) => Math.round((performance.now() - began) / 10) / 100

async function sampleOf(file: RowFile): Promise<FileRow[]> {
  const sample: FileRow[] = []
  for await (const { rows } of file.read()) {
    sample.push(...rows)
    if (sample.length >= SAMPLE) break
  }
  if (sample.length === 0)
    throw new CrmError('invalid_input', `${file.path} has no rows.`, { hint: 'The first line names the columns, and every further line is a record.' })
  return sample.slice(0, SAMPLE)
}

function refuseIfRejected({ count, first }: Rejects, rows: number, file: string | undefined): void {
  if (count === 0) return
  throw new CrmError('invalid_input', `Rejected: ${count.toLocaleString('en')} of ${rows.toLocaleString('en')} rows.`, {
    errors: first.map(({ row, error }) => ({ field: `line ${row.line}`, code: 'value', message: error })),
    hint: `All of them are in ${file}, each with its line and what is wrong. Mend them there, and import that file.`,
  })
}
