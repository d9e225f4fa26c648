import type { Command } from 'commander'
import { onStoreOnly, type Shell, settingsOf } from './app.ts'
import { formatOf, jsonText, withOutput, writeLines } from './output.ts'

const EXPLAINED = `
The link works once, within an hour, and starts a session of twelve hours with all rights of the admin. It is made from the store itself, so that only those
who can read the store can make one. The session is among the keys, and ends with Sign out in the console.

Example:
  crm sign-in
  crm sign-in --workspace demo --at https://crm.example.com`

/** The command that prints a link to sign in to the console with. */
export function signInCommand(program: Command, shell: Shell): void {
  const command = program
    .command('sign-in')
    .description('Print a link that signs the admin in to the console, once')
    .option('--at <url>', 'the address of the service; CRM_PUBLIC_URL, or where it runs on this machine, unless given')
    .option('--workspace <name>', 'the workspace; the first unless given')
    .addHelpText('after', EXPLAINED)
    .action(async ({ at, workspace }: { readonly at?: string; readonly workspace?: string }, self: Command) => {
      const { io } = shell
      const Link = await shell.signInLink(settingsOf(self, shell), { at, workspace })
      // Whole, however narrow the terminal is.
      await writeLines(io, [formatOf(self, io) === 'json' ? jsonText(io, { Link }, false).trimEnd() : Link])
    })
  onStoreOnly(withOutput(command, ['json', 'table']), shell)
}
