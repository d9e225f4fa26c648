import type { Command } from 'commander'
import { CONFIRMABLE } from '../../contract/records/plan.ts'
import { type Shell, settingsOf, withSettings } from './app.ts'

const MORE = `
An agent's own configuration starts this, in a folder of its choice, so name the store by its whole path:
  { "mcpServers": { "crm": { "command": "npx",
    "args": ["-y", "crm-connector", "mcp", "--platform", "sqlite:/home/ada/crm.db", "--confirm", "deletes"] } } }

Without a key it acts as the admin of the local store; with CRM_KEY as the user of that key, with CRM_URL through that server.

Example:
  crm mcp --toolsets leads,cases --read-only`

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
    .option('--toolsets <a,b,…>', 'only tools about these: leads, opportunities, cases, custom_objects, campaigns, users, journal')
    .option('--read-only', 'only tools that change nothing')
    .option('--confirm <what>', `plan these first, and do them once they are confirmed: ${CONFIRMABLE.join(', ')}`)
    .addHelpText('after', MORE)
    .action(({ workspace, toolsets, readOnly, confirm }: Given, command: Command) =>
      shell.mcp(settingsOf(command, shell), { workspace, toolsets, 'read-only': readOnly && 'true', confirm }),
    )
}
