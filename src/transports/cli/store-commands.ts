import type { Command } from 'commander'
import { addWorkspace } from '../../core/bootstrap.ts'
import { type Doors, onStore, settingsOf, withSettings } from './doors.ts'
import { printResult } from './output.ts'

/** The commands that work on the store itself. */
export function storeCommands(program: Command, doors: Doors): void {
  const workspaces = program.command('workspaces').description('List the workspaces of the store, or add one')
  withSettings(workspaces.command('list', { isDefault: true }), doors)
    .description('List the workspaces of the store')
    .action(async (_, command: Command) => {
      const found = await onStore(doors, settingsOf(command, doors), ({ store }) => store.workspaces())
      printResult({ Workspaces: found.map(({ name }) => name) })
    })
  withSettings(workspaces.command('add <name>'), doors)
    .description('Make a workspace with its first admin, and show the key of that admin once')
    .action(async (name: string, _, command: Command) => {
      const { key } = await onStore(doors, settingsOf(command, doors), (service) => addWorkspace(service, name))
      printResult({ Workspace: name, Key: key })
    })

  withSettings(program.command('backup <file>'), doors)
    .description('Write a consistent copy of the store, also while a server runs on it')
    .action(async (file: string, _, command: Command) => {
      const { store, bytes } = await doors.backup(settingsOf(command, doors), file)
      printResult({ Store: store, Backup: file, Bytes: bytes })
    })
  withSettings(program.command('restore <file>'), doors)
    .description('Put a backup in the place of the store; the store must not be in use')
    .option('--force', 'replace a store that already has something in it; it is kept beside the restored one')
    .action(async (file: string, options: { force?: boolean }, command: Command) => {
      const { store, kept } = await doors.restore(settingsOf(command, doors), file, options.force ?? false)
      printResult({ Store: store, RestoredFrom: file, Kept: kept ?? null })
    })
}
