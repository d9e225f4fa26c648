import type { Command } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { acquireBinding } from '../../core/call/acquire-binding.ts'
import type { Service } from '../../core/service.ts'
import { mirrorState } from '../../core/watch/state.ts'
import { verifyMirror } from '../../core/watch/verify.ts'
import { watchedNumbers, withWatched } from '../../core/watch/watch.ts'
import { onStore, onStoreOnly, type Shell, settingsOf } from './app.ts'
import { formatOf, present, withOutput } from './output.ts'

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
      await present(io, await onStore(shell, settingsOf(command, shell), shown, true), formatOf(command, io))
    })
  withOutput(onStoreOnly(mirror.command('verify'), shell), ['json', 'table'])
    .description('Compare all records of the CRMs with their mirrors, and repair what differs, also while a server runs on the store')
    .addHelpText('after', '\nWhat differs was missed by the watch, and is announced as an event. It takes a request for each page of records.')
    .addHelpText('after', '\nExample:\n  crm mirror verify')
    .action(async (_, command: Command) => {
      const progress = io.stderr.isTTY ? (count: number) => void io.stderr.write(`\r\u001b[K${count.toLocaleString('en')} records compared`) : undefined
      const answer = await onStore(shell, settingsOf(command, shell), (service) => verified(service, progress), true)
      if (io.stderr.isTTY) io.stderr.write('\n')
      await present(io, { Mirrors: answer }, formatOf(command, io))
    })
}

async function shown(service: Service) {
  const states: (Awaited<ReturnType<typeof mirrorState>> & { Workspace: string })[] = []
  for (const number of await watchedNumbers(service)) {
    const workspace = await service.store.workspace(number)
    if (!workspace) continue
    const binding = await acquireBinding(service, workspace)
    try {
      if (!binding.isStore) states.push({ Workspace: workspace.name, ...(await mirrorState(service, number, binding)) })
    } finally {
      binding.release()
    }
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

async function verified(service: Service, progress: ((compared: number) => void) | undefined) {
  const { signal } = new AbortController()
  const mirrors: { Workspace: number; RecordType: string; Compared: number; Repaired: number }[] = []
  for (const number of await watchedNumbers(service)) {
    const types = (await withWatched(service, number, (watched) => verifyMirror(watched, signal, progress))) ?? []
    mirrors.push(...types.map(({ type, compared, repaired }) => ({ Workspace: number, RecordType: type, Compared: compared, Repaired: repaired })))
  }
  if (mirrors.length === 0)
    throw new CrmError('conflict', 'No workspace has a mirror that is complete.', {
      hint: 'crm serve makes one of each CRM that it watches: see docs/watch.md.',
    })
  return mirrors
}
