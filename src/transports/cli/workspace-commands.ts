import type { Command } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { findOperation, quote } from '../../contract/operations.ts'
import { type Shell, settingsOf, withSettings } from './app.ts'
import type { Row } from './cells.ts'
import { confirmed } from './operation-command.ts'
import { formatOf, present, withOutput } from './output.ts'

const SHAPES = ['json', 'table'] as const

const EXAMPLE = '\nExample:\n  crm workspaces\n  crm workspaces add acme\n  crm workspaces pause acme'

/** The workspaces by their names; each command is one of the operations on them. */
export function workspaceCommands(program: Command, shell: Shell): void {
  const { io } = shell
  const workspaces = program.command('workspaces').description('List the workspaces, or add, pause, resume or delete one').helpCommand(false)
  workspaces.addHelpText('after', EXAMPLE)

  function add(words: string, description: string, work: (crm: Crm, name: string, options: Row) => Promise<Row>, isDefault = false): Command {
    return withSettings(withOutput(workspaces.command(words, { isDefault }), SHAPES), shell)
      .description(description)
      .addHelpText('after', `\nExample:\n  crm workspaces ${words.replace('<name>', 'acme')}`)
      .action(async (...given: unknown[]) => {
        const command = given.at(-1) as Command
        const crm = await shell.client(settingsOf(command, shell))
        try {
          await present(io, await work(crm, String(given[0]), command.opts()), formatOf(command, io))
        } finally {
          await crm.close()
        }
      })
  }

  add('list', 'List the workspaces', listed, true)
  add('add <name>', 'Make a workspace with its first admin, and show the key of that admin once', async (crm, Name) => {
    const { Key } = await crm.workspaces.create({ Name })
    return { Workspace: Name, Key }
  })
  add('pause <name>', 'Stop serving a workspace: its calls are refused, its streams end, its webhooks wait', async (crm, name) =>
    shown(await crm.workspaces.pause({ WorkspaceID: await idOf(crm, name) })),
  )
  add('resume <name>', 'Serve a paused workspace again', async (crm, name) => shown(await crm.workspaces.resume({ WorkspaceID: await idOf(crm, name) })))
  add('delete <name>', 'Erase a workspace with all that is in it, after a question', async (crm, Name, { confirmation }) => {
    const WorkspaceID = await idOf(crm, Name)
    const call = (more: object = {}) => crm.workspaces.delete({ WorkspaceID, Name }, { ...(typeof confirmation === 'string' && { confirmation }), ...more })
    return (await confirmed(shell, findOperation('delete_workspace').record, call)) as Row
  }).option('--confirmation <token>', 'confirms the plan that the command has shown before')
}

async function listed(crm: Crm): Promise<Row> {
  const Workspaces: string[] = []
  for await (const { Name, State } of crm.workspaces.all({ OrderBy: 'CreatedDate asc' })) Workspaces.push(State === 'active' ? Name : `${Name} (${State})`)
  return { Workspaces }
}

const shown = ({ Name, State }: { readonly Name: string; readonly State: string }): Row => ({ Workspace: Name, State })

async function idOf(crm: Crm, name: string): Promise<string> {
  const [found] = (await crm.workspaces.getMany({ Filters: { Name: name } })).Records
  if (!found) throw new CrmError('not_found', `There is no workspace ${quote(name)}.`, { hint: 'crm workspaces lists them.' })
  return found.WorkspaceID
}
