import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type Shell, settingsOf } from '../app.ts'
import { fileOutput, standardOutput } from '../export/output-file.ts'
import { note } from '../io.ts'
import { whereFlags } from '../operation-command.ts'
import { fieldsType, WRITTEN } from './fields-type.ts'

interface Given {
  readonly to?: string
  readonly force?: true
  readonly workspace?: string
}

const EXPLAINED = `
Programs that use the SDK pass the type to connect, which then takes and answers with those fields, too:
  const crm = connect<WorkspaceFields>({ baseUrl, key })
A file that this command has written is overwritten, any other only with --force.

Example:
  crm types --to workspace-fields.ts`

/** The command that writes the fields of a workspace as a type for the SDK. */
export function typesCommand(program: Command, shell: Shell): void {
  const command = program
    .command('types')
    .description('Write the fields that only this workspace has as a TypeScript type')
    .option('--to <file>', 'the file; by default, or for -, standard output')
    .option('--force', 'overwrite a file that this command has not written')
    .addHelpText('after', EXPLAINED)
    .action(async (given: Given, self: Command) => {
      const crm = await shell.client(settingsOf(self, shell), { workspace: given.workspace, mustExist: true })
      try {
        const text = fieldsType(await crm.describe({}))
        const path = given.to === '-' ? undefined : given.to
        const output = path === undefined ? standardOutput(shell.io) : await fileOutput(path, given.force === true || isWritten(path))
        await output.write(text)
        await output.done()
        if (path !== undefined) note(shell.io, `${path} has the fields of the workspace.`)
      } finally {
        await crm.close()
      }
    })
  whereFlags(command, shell)
}

const isWritten = (path: string) => existsSync(path) && readFileSync(path, 'utf8').startsWith(WRITTEN)
