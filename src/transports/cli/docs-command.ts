import type { Command } from 'commander'
import type { Shell } from './app.ts'
import { formatOf, present, withOutput } from './output.ts'

const EXPLAINED = `
A running service has it at /docs. The files work on any web server, under any path, and without the service; with --console each
operation leads to its form in the console at that address.

Example:
  crm docs --out site
  crm docs --out site --console https://crm.example.com`

/** The command that writes the documentation site. */
export function docsCommand(program: Command, { io, exportDocs }: Shell): void {
  const command = program
    .command('docs')
    .description('Write the documentation as a static site')
    .requiredOption('--out <folder>', 'the folder, made where there is none')
    .option('--console <url>', 'the address of a service, to whose console the pages link')
    .addHelpText('after', EXPLAINED)
    .action(async ({ out, console }: { readonly out: string; readonly console?: string }, self: Command) => {
      await present(io, { Folder: out, Files: await exportDocs(out, console) }, formatOf(self, io))
    })
  withOutput(command, ['json', 'table'])
}
