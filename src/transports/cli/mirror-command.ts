import type { Command } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import type { Service } from '../../core/service.ts'
import { verifyMirror } from '../../core/watch/verify.ts'
import { watchedNumbers, withWatched } from '../../core/watch/watch.ts'
import { onStore, onStoreOnly, type Shell, settingsOf } from './app.ts'
import { formatOf, present, withOutput } from './output.ts'

/** The command about the mirrors of CRMs. */
export function mirrorCommand(program: Command, shell: Shell): void {
  const { io } = shell
  const mirror = program.command('mirror').description('Verify the mirrors of CRMs').helpCommand(false).addHelpText('after', '\nExample:\n  crm mirror verify')
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

async function verified(service: Service, progress: ((compared: number) => void) | undefined) {
  const { signal } = new AbortController()
  const mirrors: { Workspace: number; RecordType: string; Compared: number; Repaired: number }[] = []
  for (const number of await watchedNumbers(service)) {
    const types = (await withWatched(service, number, (watched) => verifyMirror(watched, signal, progress))) ?? []
    mirrors.push(...types.map(({ type, compared, repaired }) => ({ Workspace: number, RecordType: type, Compared: compared, Repaired: repaired })))
  }
  if (mirrors.length === 0)
    throw new CrmError('conflict', 'No workspace has a mirror that is complete.', { hint: 'A server with CRM_WATCH_INTERVAL makes one: see docs/watch.md.' })
  return mirrors
}
