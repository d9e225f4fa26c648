import type { Command } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { EXIT_CODES } from '../../contract/exit-codes.ts'
import { refusalOf } from '../../core/access/served.ts'
import { cachedBinding } from '../../core/binding.ts'
import { readConnection } from '../../core/connections/in-use.ts'
import type { Service } from '../../core/service.ts'
import { mirrorState } from '../../core/watch/state.ts'
import { firstFailure, verifyMirror } from '../../core/watch/verify.ts'
import { watchedNumbers, withWatched } from '../../core/watch/watch.ts'
import { onStore, onStoreOnly, type Shell, settingsOf } from './app.ts'
import { Ended } from './ended.ts'
import { formatOf, present, withOutput } from './output.ts'
import { createLine } from './progress.ts'

/** The command about the mirrors of CRMs. */
export function mirrorCommand(program: Command, shell: Shell): void {
  const { io } = shell
  const mirror = program
    .command('mirror')
    .description('Show and verify the mirrors of CRMs')
    .helpCommand(false)
    .addHelpText('after', '\nExamples:\n  crm mirror\n  crm mirror verify')
  withOutput(onStoreOnly(mirror.command('show', { isDefault: true }), shell), ['json', 'table'])
    .description('Show how far the mirrors have come, and what watching the CRMs costs, as get_mirror does for one workspace')
    .addHelpText('after', '\nExample:\n  crm mirror show')
    .action(async (_, command: Command) => {
      await present(io, await onStore(shell, settingsOf(command, shell), shown), formatOf(command, io))
    })
  withOutput(onStoreOnly(mirror.command('verify'), shell), ['json', 'table'])
    .description('Compare all records of the CRMs with their mirrors, and repair what differs, also while a server runs on the store')
    .addHelpText('after', '\nWhat differs was missed by the watch, and is announced as an event. It takes a request for each page of records.')
    .addHelpText('after', '\nExample:\n  crm mirror verify')
    .action(async (_, command: Command) => {
      const line = createLine(io.stderr, io.stderr.isTTY === true)
      const progress = (count: number) => line.show(() => `${count.toLocaleString('en')} records compared`)
      const { rows, failure } = await onStore(shell, settingsOf(command, shell), (service) => verified(service, progress), { needsCrms: true })
      line.clear()
      await present(io, { Mirrors: rows }, formatOf(command, io))
      if (failure) throw new Ended(EXIT_CODES[failure.code])
    })
}

async function shown(service: Service) {
  const states: (Awaited<ReturnType<typeof mirrorState>> & { Workspace: string })[] = []
  for (const number of await watchedNumbers(service)) {
    const workspace = await service.store.workspace(number)
    if (!workspace) continue
    await readConnection(service, workspace)
    const binding = cachedBinding(service, workspace)
    if (binding.isStore) continue
    const refusal = refusalOf(workspace)
    states.push({ Workspace: workspace.name, ...(await mirrorState(service, number, binding)), ...(refusal && { Watched: false, Reason: refusal.message }) })
  }
  return {
    Accounts: states.map(({ Workspace, Watched, Complete, RequestsToday, RequestsPerDay, Reason }) => ({
      Workspace,
      Watched,
      Complete,
      RequestsToday,
      RequestsPerDay,
      Reason,
    })),
    Mirrors: states.flatMap(({ Workspace, RecordTypes }) => RecordTypes.map((type) => ({ Workspace, ...type }))),
  }
}

interface Row {
  readonly Workspace: string
  /** Null where the account as a whole could not be compared. */
  readonly RecordType: string | null
  readonly Compared: number | null
  readonly Repaired: number | null
  readonly Reason: string | null
}

/** Verifies the mirrors of all workspaces. One that cannot be compared says why, and does not keep the others from it. */
async function verified(
  service: Service,
  progress: (compared: number) => void,
): Promise<{ readonly rows: readonly Row[]; readonly failure: CrmError | undefined }> {
  const { signal } = new AbortController()
  const rows: Row[] = []
  let failure: CrmError | undefined
  for (const number of await watchedNumbers(service)) {
    const Workspace = (await service.store.workspace(number))?.name ?? ''
    const uncompared = { Compared: null, Repaired: null }
    try {
      const verified = await withWatched(service, number, (watched) => verifyMirror(watched, signal, progress), { isPausedToo: true })
      failure ??= firstFailure(verified ?? [])
      for (const { type, compared, repaired, reason = null } of verified ?? [])
        rows.push({ Workspace, RecordType: type, ...(reason === null ? { Compared: compared, Repaired: repaired } : uncompared), Reason: reason })
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      failure ??= error
      rows.push({ Workspace, RecordType: null, ...uncompared, Reason: error.message })
    }
  }
  if (rows.length === 0)
    throw new CrmError('conflict', 'No workspace of this store is known to use a CRM here.', {
      hint: 'Give the CRM and its secrets as crm serve has them: --platform, or CRM_PLATFORM.',
    })
  if (!failure && rows.every(({ Reason }) => Reason !== null))
    throw new CrmError('conflict', 'No workspace has a mirror that is complete.', {
      hint: 'crm serve makes one of each CRM that it watches: see docs/watch.md.',
    })
  return { rows, failure }
}
