import type { Command } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { addWorkspace } from '../../core/bootstrap.ts'
import { type Doors, onStore, settingsOf, withSettings } from './doors.ts'
import { shownReport } from './journal-commands.ts'
import { printResult } from './output.ts'
import { watched } from './progress.ts'

const MIGRATING = `
Stop the service before, and start it with the new store afterwards:
  crm migrate-store sqlite:data/crm.db postgres://crm:secret@db.example.com/crm
  crm serve --platform postgres://crm:secret@db.example.com/crm

Users, keys, records, the audit and its chain, events, webhooks and idempotency keys come along as they are. The store that is
copied is only read. Where it was interrupted the same command goes on from there. In the end the rows of each table are counted,
and a checksum is made of them, in both stores; until they agree nobody can open the new one.`

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
      const { store, bytes } = await watched((how) => doors.backup(settingsOf(command, doors), file, how))
      printResult({ Store: store, Backup: file, Bytes: bytes })
    })
  withSettings(program.command('restore <file>'), doors)
    .description('Put a backup in the place of the store; the store must not be in use')
    .option('--force', 'replace a store that already has something in it; it is kept beside the restored one, in PostgreSQL in a schema of its own')
    .action(async (file: string, options: { force?: boolean }, command: Command) => {
      const { store, kept } = await watched((how) => doors.restore(settingsOf(command, doors), file, options.force ?? false, how))
      printResult({ Store: store, RestoredFrom: file, Kept: kept ?? null })
    })

  program
    .command('migrate-store')
    .description('Copy everything in a store to another place, and prove that all of it has arrived')
    .argument('<from>', 'the store that is there: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE')
    .argument('<to>', 'where it is to be: a file that is not there yet, or an empty database')
    .addHelpText('after', MIGRATING)
    .action(async (from: string, to: string) => {
      const began = performance.now()
      const { tables, copied, skipped, audit, ...names } = await watched((how) => doors.migrateStore(from, to, how))
      const broken = audit.filter(({ faults }) => faults.length > 0)
      printResult({
        From: names.from,
        To: names.to,
        Tables: tables.map(({ table, rows, checksum }) => ({ Table: table, Rows: rows, Checksum: checksum })),
        Copied: copied,
        Skipped: skipped,
        Audit: audit.map(shownReport),
        Seconds: Math.round((performance.now() - began) / 10) / 100,
      })
      if (broken.length > 0)
        throw new CrmError(
          'conflict',
          `Everything was copied as it is, but the audit of ${broken.map(({ workspace }) => workspace).join(', ')} does not verify.`,
          {
            hint: 'It is the same where it came from: crm audit verify.',
          },
        )
    })
}
