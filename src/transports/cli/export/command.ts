import { Argument, type Command, Option } from 'commander'
import { EXPORT_FORMATS } from '../../../files/exporting/formats.ts'
import { OWNER_COLUMNS } from '../../../files/exporting/owner-names.ts'
import type { Shell } from '../app.ts'
import { inputFlags } from '../flags.ts'
import { offering } from '../offers.ts'
import { whereFlags } from '../operation-command.ts'
import { withOutput } from '../output.ts'
import type { ExportFlags } from './export.ts'
import { EXPORTED_NAMES, exportedBy, unpaged } from './exported.ts'

const EXPLAINED = `
All records that match are written, oldest first, in as much memory as one page takes. The file appears once it is complete.
It can be imported again. In columns, which include the fields of custom objects, a null is an empty cell, and in CSV an empty text is a
pair of quotes; in JSON records are as the operations answer them. A workbook (.xlsx) has one sheet, with as many rows as fit.

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
    .option('--to <file>', 'the file; by default, or for -, standard output')
    .addOption(new Option('--format <format>', 'by default as the name of the file says, CSV to standard output').choices(EXPORT_FORMATS))
    .option('--force', 'overwrite an existing file')
    .option('--raw', "in CSV, no ' before texts that a spreadsheet would take for formulas; read it back with crm import --raw")
    .option('--bom', 'begin a CSV file with a byte order mark, by which Excel recognises UTF-8')
    .addOption(new Option('--owners <how>', 'owners in columns by id, by name (OwnerName), or both').choices(Object.keys(OWNER_COLUMNS)).default('id'))
    .addHelpText('after', EXPLAINED)
    .action(async (name: string, given: ExportFlags, self: Command) => (await import('./export.ts')).runExport(shell, name, given, self))
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
