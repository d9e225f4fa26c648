import { type Command, InvalidArgumentError } from 'commander'
import { DEFAULT_WORKSPACE } from '../../../core/access/bootstrap.ts'
import { type Shell, withSettings } from '../app.ts'
import { withOutput } from '../output.ts'
import { DEMO, type Given } from './defaults.ts'

const EXPLAINED = `
People of many countries become leads, some of them are won as customers, and those ask for help: with users and their managers,
companies, contacts, campaigns, notes, comments, cases and two custom objects. Addresses end with .example and phone numbers are reserved
for fiction. The same seed generates the same records.

On the store itself it begins months ago, with all its events and a line of the audit for each change; through a server everything is
of today. Where there are records already it gets a workspace of its own, unless it may mix with them; on a CRM it does nothing.

Example:
  crm demo
  crm demo --size 20000 --platform sqlite:demo.db
  crm demo --workspace demo --seed 42`

/** The command that fills a store with generated records. */
export function demoCommand(program: Command, shell: Shell): void {
  const command = program
    .command('demo')
    .description('Fill a store with generated records, to have something to look at')
    .option('--size <leads>', 'how many people become leads, from 1 to 1,000,000', whole(1, 1_000_000), DEMO.size)
    .option('--seed <number>', 'the same number generates the same records', whole(0, 2 ** 31), DEMO.seed)
    .option('--months <number>', 'how long ago it begins, up to 120', whole(1, 120), DEMO.months)
    .option('--force', 'mix it with the records that are there')
    .addHelpText('after', EXPLAINED)
    .action(async (given: Given, self: Command) => (await import('./demo.ts')).runDemo(shell, given, self))
  withOutput(command, ['json', 'table'])
  command.optionsGroup('Where:')
  withSettings(command, shell).option(
    '--workspace <name>',
    `the workspace of the local store, made where there is none; ${DEFAULT_WORKSPACE} unless given, or demo where that has records`,
  )
}

const whole = (from: number, to: number) => (text: string) => {
  const value = Number(text.replaceAll(',', ''))
  if (!Number.isInteger(value) || value < from || value > to || text.trim() === '')
    throw new InvalidArgumentError(`It is a whole number from ${from.toLocaleString('en')} to ${to.toLocaleString('en')}.`)
  return value
}
