import { type Command, InvalidArgumentError, Option } from 'commander'
import { CUSTOM_TYPES } from '../../../contract/records/custom-object.ts'
import { DATES, NUMBERS } from '../../../files/mapping/cell-value.ts'
import type { Shell } from '../app.ts'
import { offering } from '../offers.ts'
import { whereFlags } from '../operation-command.ts'
import { withOutput } from '../output.ts'
import type { Given } from './import.ts'

const EXPLAINED = `
The first line of a CSV file or a sheet names the columns. They are mapped to fields by name or label, however that is written, and the
mapping is shown with the first rows before anything happens; without a person to ask, --yes says go. A column that fits no field
stops the import until --map or --ignore says what to do with it.

Every row is carried out once: the same command goes on where it was stopped, and rows of this file that were imported in the last 24
hours are not made twice. Rows that are refused go to FILE.rejects.csv with their line and what is wrong; mend them there, and import that.

Example:
  crm import leads.csv
  crm import kunden.csv --type Lead --map 'Vorname=FirstName,Nachname=LastName' --ignore '*' --yes
  crm import boats.xlsx --object Boat --define 'Built=Date' --dry-run`

const TYPES = ['Lead', 'Opportunity', 'Case', 'CustomObject', 'Campaign']

/** The command that brings the rows of a file in. */
export function importCommand(program: Command, shell: Shell): void {
  const command = program
    .command('import')
    .description('Import the rows of a file: .csv, .ndjson, .json or .xlsx')
    .argument('<file>', 'the file')
    .addOption(offering(new Option('--type <name>', `what the rows become: ${TYPES.join(', ')}; by the name or columns of the file unless given`), TYPES))
    .option('--object <name>', 'the custom object that the rows are of')
    .addOption(new Option('--map <column=field,…>', 'columns that are called otherwise than their fields').argParser(pairs).default(new Map(), 'none'))
    .addOption(new Option('--ignore <columns>', "columns to leave out, comma-separated; '*' for all that fit no field").argParser(listed).default([], 'none'))
    .addOption(
      new Option('--define <column=type,…>', `types of new fields of a custom object: ${Object.keys(CUSTOM_TYPES).join(', ')}`)
        .argParser(pairs)
        .default(new Map(), 'by what is in them'),
    )
    .option('--yes', 'import without asking')
    .option('--dry-run', 'check every row, and import none')
    .option('--rejects <file>', 'where rows go that are refused; beside the file unless given')
    .option('--run <name>', 'what rows are known by in the place of the name of the file; another one imports them once more')
    .addOption(new Option('--numbers <example>', 'how numbers are written').choices(Object.keys(NUMBERS)).default('1234.5'))
    .addOption(new Option('--dates <example>', 'how dates are written').choices(Object.keys(DATES)).default('2026-12-31'))
    .option('--delimiter <character>', 'what separates the cells of a CSV file; as its first line has it unless given', character)
    .option('--encoding <name>', 'how the text is encoded: utf-8, latin1, …; UTF-8 unless marked otherwise')
    .option('--sheet <name>', 'the sheet of a workbook; the first unless given')
    .addHelpText('after', EXPLAINED)
    .action(async (path: string, given: Given, self: Command) => (await import('./import.ts')).runImport(shell, path, given, self))
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

const listed = (text: string, before: readonly string[]) => [...before, text]

function character(text: string): string {
  const one = text === '\\t' || text === 'tab' ? '\t' : text
  if (one.length !== 1 || /["\r\n]/.test(one)) throw new InvalidArgumentError('It is one character other than a quote: , ; | or tab.')
  return one
}
