import type { Command } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { onStoreOnly, type Shell, settingsOf } from './app.ts'
import type { Row } from './cells.ts'
import { note } from './io.ts'
import { shownReport } from './journal-commands.ts'
import { formatOf, present, withOutput } from './output.ts'
import { watched } from './progress.ts'
import { workspaceCommands } from './workspace-commands.ts'

const MIGRATING = `
Stop the service before, and start it with the new store afterwards:
  crm migrate-store sqlite:data/crm.db postgres://crm:secret@db.example.com/crm
  crm serve --platform postgres://crm:secret@db.example.com/crm

Users, keys, records, the audit and its chain, events, webhooks and idempotency keys come along as they are. The store that is
copied is only read. Where it was interrupted the same command goes on from there. In the end the rows of each table are counted,
and a checksum is made of them, in both stores; until they agree the new one cannot be opened.

Secrets stay sealed, and the keys that open them do not come along: start the service with the same CRM_SECRET_KEYS, or with the
file secret-key beside the new store.`

const KEYS_APART = `Secrets in it are sealed, and the keys that open them are not part of it:
CRM_SECRET_KEYS, or the file secret-key beside the store. Keep them apart.`

const SHAPES = ['json', 'table'] as const

/** The commands that work on the store itself. */
export function storeCommands(program: Command, shell: Shell): void {
  const { io } = shell
  const print = (command: Command, answer: Row) => present(io, answer, formatOf(command, io))

  workspaceCommands(program, shell)

  onStoreOnly(withOutput(program.command('backup <file>'), SHAPES), shell)
    .description('Write a consistent copy of the store, also while a server runs on it')
    .addHelpText('after', `\n${KEYS_APART}\n\nExample:\n  crm backup monday.db`)
    .action(async (file: string, _, command: Command) => {
      const { store, bytes } = await watched(io, (how) => shell.backup(settingsOf(command, shell), file, how))
      await print(command, { Store: store, Backup: file, Bytes: bytes })
      note(io, KEYS_APART)
    })
  onStoreOnly(withOutput(program.command('restore <file>'), SHAPES), shell)
    .description('Put a backup in the place of the store; the store must not be in use')
    .option('--force', 'replace a store that already has something in it; it is kept beside the restored one, in PostgreSQL in a schema of its own')
    .addHelpText('after', `\n${KEYS_APART}\n\nExample:\n  crm restore monday.db --force`)
    .action(async (file: string, options: { force?: boolean }, command: Command) => {
      const { store, replaced } = await watched(io, (how) => shell.restore(settingsOf(command, shell), file, options.force ?? false, how))
      await print(command, { Store: store, RestoredFrom: file, Kept: replaced ?? null })
      note(io, KEYS_APART)
    })

  withOutput(program.command('migrate-store'), SHAPES)
    .description('Copy everything in a store to another place, and prove that all of it has arrived')
    .argument('<from>', 'the store that is there: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE')
    .argument('<to>', 'where it is to be: a file that is not there yet, or an empty database')
    .addHelpText('after', MIGRATING)
    .action(async (from: string, to: string, _, command: Command) => {
      const began = performance.now()
      const { tables, copied, skipped, audit, ...names } = await watched(io, (how) => shell.migrateStore(from, to, how))
      const broken = audit.filter(({ faults }) => faults.length > 0)
      await print(command, {
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
