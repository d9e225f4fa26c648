import { type Command, InvalidArgumentError, Option } from 'commander'
import { CUSTOM_TYPES } from '../../../contract/records/custom-object.ts'
import { DATES, NUMBERS } from '../../../files/mapping/cell-value.ts'
import type { Shell } from '../app.ts'
import { listing, offering } from '../offers.ts'
import { whereFlags } from '../operation-command.ts'
import { withOutput } from '../output.ts'
import type { ImportFlags } from './import.ts'

const EXPLAINED = `
The first line of a CSV file or a sheet names the columns. They are mapped to fields by name or label, in any spelling. The mapping and
the first rows are shown before anything is written; without a terminal, --yes imports. A column that fits no field stops
the import until --map or --ignore names it.

With --match Email, a row updates the record with the same e-mail address, and creates one only where there is none.

Every row is imported once: the same command goes on where it was stopped, and rows of this file that were imported in the last 24
hours are not created again. Rejected rows go to FILE.rejects.csv with their line and error; correct them there, and import that file.

Example:
  crm import leads.csv
  crm import kunden.csv --type Lead --map 'Vorname=FirstName,Nachname=LastName' --ignore '*' --yes
  crm import customers.csv --type Contact --match Email --yes
  crm import boats.xlsx --object Boat --define 'Built=Date' --dry-run`

const TYPES = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'CustomObject', 'Campaign']

/** The command that brings the rows of a file in. */
export function importCommand(program: Command, shell: Shell): void {
  const command = program
    .command('import')
    .description('Import the rows of a file: .csv, .ndjson, .json or .xlsx')
    .argument('<file>', 'the file')
    .addOption(
      offering(new Option('--type <name>', `the record type of the rows: ${TYPES.join(', ')}; by default as the name or the columns of the file show`), TYPES),
    )
    .option('--object <name>', 'the custom object of the rows')
    .addOption(new Option('--map <column=field,…>', 'fields of columns with other names').argParser(pairs).default(new Map(), 'none'))
    .addOption(new Option('--ignore <columns>', "columns to leave out, comma-separated; '*' for all that fit no field").argParser(listed).default([], 'none'))
    .addOption(
      listing(
        offering(
          new Option('--define <column=type,…>', `types of new fields of a custom object: ${Object.keys(CUSTOM_TYPES).join(', ')}`),
          Object.keys(CUSTOM_TYPES),
        ),
        '=',
      )
        .argParser(pairs)
        .default(new Map(), 'inferred from the values'),
    )
    .addOption(
      new Option(
        '--match <fields>',
        'update the records that have the same values in these fields, and create only the others: Email, ExternalID, …',
      ).argParser(names),
    )
    .option('--yes', 'import without asking')
    .option('--dry-run', 'check every row, and import none')
    .option('--rejects <file>', 'where rejected rows go; by default beside the file')
    .option('--run <name>', 'recognise rows by this name instead of that of the file; another name imports them once more')
    .addOption(new Option('--numbers <example>', 'the format of numbers').choices(Object.keys(NUMBERS)).default('1234.5'))
    .addOption(new Option('--dates <example>', 'the format of dates').choices(Object.keys(DATES)).default('2026-12-31'))
    .option('--delimiter <character>', 'the separator of a CSV file; by default the one of its first line', character)
    .option('--encoding <name>', 'the encoding: utf-8, latin1, …; by default UTF-8, or as a byte order mark says')
    .option('--raw', "keep the ' before texts of a CSV file that look like formulas, which crm export puts there")
    .option('--sheet <name>', 'the sheet of a workbook; by default the first')
    .addHelpText('after', EXPLAINED)
    .action(async (path: string, flags: ImportFlags, self: Command) => (await import('./import.ts')).runImport(shell, path, flags, self))
  withOutput(command, ['json', 'table'])
  whereFlags(command, shell)
}

/** a=b,c=d; a comma that belongs to a name makes it one pair. */
function pairs(text: string, before: ReadonlyMap<string, string>): Map<string, string> {
  const parts = text.split(',')
  const all = parts.every((part) => part.includes('=')) ? parts : [text]
  return new Map([
    ...before,
    ...all.map((pair): [string, string] => {
      const at = pair.lastIndexOf('=')
      if (at < 1 || at === pair.length - 1) throw new InvalidArgumentError(`${JSON.stringify(pair)} is not of the form a=b.`)
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  ])
}

const names = (text: string) => text.split(',').map((name) => name.trim())

const listed = (text: string, before: readonly string[]) => [...before, text]

function character(text: string): string {
  const one = text === '\\t' || text === 'tab' ? '\t' : text
  if (one.length !== 1 || /["\r\n]/.test(one)) throw new InvalidArgumentError('It is one character other than a quote: , ; | or tab.')
  return one
}
