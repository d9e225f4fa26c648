import { Argument, type Command, Option } from 'commander'
import type { Shell } from '../app.ts'
import { inputFlags } from '../flags.ts'
import { offering } from '../offers.ts'
import { whereFlags } from '../operation-command.ts'
import { withOutput } from '../output.ts'
import type { Given } from './export.ts'
import { EXPORTED_NAMES, exportedBy, unpaged } from './exported.ts'
import { FORMATS } from './format.ts'

const EXPLAINED = `
All that match are written, oldest first, in as much memory as one page takes. A file is there when it is whole, and not before.
What is written can be imported again: in columns, among them the fields of custom objects, a null is nothing, and as CSV an empty text
a pair of quotes; as JSON records are what the operations answer with. A workbook (.xlsx) has one sheet, with as many rows as fit.

Example:
  crm export leads --to leads.csv
  crm export opportunities --Filters.Stage 'Closed Won' --Select OpportunityName,Amount --to won.csv
  crm export custom_objects --Filters.ObjectName Boat --format ndjson | gzip > boats.ndjson.gz`

/** The command that writes records to a file. */
export function exportCommand(program: Command, shell: Shell, words: readonly string[]): void {
  const command = program
    .command('export')
    .description('Export records to a file: .csv, .ndjson, .json or .xlsx')
    .addArgument(offering(new Argument('<records>', `which: ${EXPORTED_NAMES.join(', ')}`), EXPORTED_NAMES))
    .option('--to <file>', 'the file; standard output unless given, or where it is -')
    .addOption(new Option('--format <format>', 'by the name of the file unless given, CSV to standard output').choices(FORMATS))
    .option('--force', 'write over a file that is there')
    .option('--spreadsheet', "put a ' before texts that a spreadsheet would take for formulas; they are not read back as they were")
    .addHelpText('after', EXPLAINED)
    .action(async (name: string, given: Given, self: Command) => (await import('./export.ts')).runExport(shell, name, given, self))
  withOutput(command, ['json', 'table'])
  const called = words[0] === 'export' ? words.map(exportedBy).find((one) => one !== undefined) : undefined
  command.optionsGroup('Which records:')
  if (called && called.verb !== 'getAttached') inputFlags(command, unpaged(called), words)
  else
    command
      .option('--Filters <json>', 'only records that match, as crm get_many_leads has it')
      .option('--OrderBy <text>', 'a field, then asc or desc')
      .option('--Select <a,b,…>', 'the fields wanted')
  whereFlags(command, shell)
}
