import { type Command, Option } from 'commander'
import { CONFIRMABLE_IN_CALL } from '../../contract/records/plan.ts'
import { type Shell, settingsOf, withSettings } from './app.ts'
import { listing, offering } from './offers.ts'

const MORE = `
An agent's own configuration starts this, in a folder of its choice, so name the store by its whole path:
  { "mcpServers": { "crm": { "command": "crm",
    "args": ["mcp", "--platform", "sqlite:/home/ada/crm.db", "--confirm", "deletes"] } } }
A client that does not find crm takes its whole path, which "command -v crm" prints.

Without a key it acts as the admin of the local store; with CRM_KEY as the user of that key, with CRM_URL through that server.

Example:
  crm mcp --toolsets leads,cases --read-only`

export const TOOLSETS = ['leads', 'opportunities', 'cases', 'companies', 'contacts', 'custom_objects', 'campaigns', 'users', 'journal', 'administration', 'all']

interface Given {
  readonly workspace?: string
  readonly toolsets?: string
  readonly readOnly?: true
  readonly confirm?: string
}

/** The operations as MCP tools, for a client that starts this as a process. */
export function mcpCommand(program: Command, shell: Shell): void {
  withSettings(program.command('mcp'), shell)
    .description('Serve the operations as tools to an agent (MCP), over standard input and output')
    .option('--workspace <name>', 'the workspace to work in (default)')
    .addOption(listing(offering(new Option('--toolsets <a,b,…>', `only tools about these: ${TOOLSETS.join(', ')}`), TOOLSETS), ','))
    .option('--read-only', 'only tools that change nothing')
    .addOption(
      offering(
        new Option(
          '--confirm <how>',
          'have deletes confirmed first by the person behind the client (deletes), updates too (updates), or deletes in the console or with another key alone (person)',
        ),
        CONFIRMABLE_IN_CALL,
      ),
    )
    .addHelpText('after', MORE)
    .action(({ workspace, toolsets, readOnly, confirm }: Given, command: Command) =>
      shell.mcp(settingsOf(command, shell), { workspace, toolsets, 'read-only': readOnly && 'true', confirm }),
    )
}
