import { Command, CommanderError } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { fold, nearest } from '../../contract/names.ts'
import { OPERATIONS, quote } from '../../contract/operations.ts'
import { type Doors, settingsOf, withSettings } from './doors.ts'
import { journalCommands } from './journal-commands.ts'
import { operationCommand } from './operation-command.ts'
import { ignoreClosedPipes, printError } from './output.ts'
import { storeCommands } from './store-commands.ts'

/** Runs one command and resolves to the exit code. */
export async function runCli(words: readonly string[], doors: Doors): Promise<number> {
  ignoreClosedPipes()
  try {
    const program = createProgram(doors, words)
    refuseUnknown(program, words)
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    return printError(error)
  }
}

function createProgram(doors: Doors, words: readonly string[]): Command {
  const program = new Command('crm')
    .description('Drives a CRM through named operations, over HTTP or right here on the local store.')
    .version(doors.version, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(crm --help lists the commands, crm COMMAND --help explains one)')
    .configureOutput({ outputError: (message, write) => write(message.replace(/^error:/, 'crm:')) })
    .enablePositionalOptions()
    .helpCommand('help [command]', 'Explain a command')

  withSettings(program.command('serve'), doors, () => true)
    .description('Serve the operations over HTTP')
    .action((_, command: Command) => doors.serve(settingsOf(command, doors)))
  storeCommands(program, doors)
  journalCommands(program, doors)
  for (const operation of OPERATIONS) {
    // What a person types is folded to the id, so that every spelling is the same command.
    const typed = words.find((word) => fold(word) === operation.id)
    operationCommand(program, doors, operation, typed)
  }
  program.configureHelp({ subcommandTerm: (command) => command.name() })
  program.action(() => program.outputHelp())
  return program
}

function refuseUnknown(program: Command, [first]: readonly string[]): void {
  if (first === undefined || first.startsWith('-')) return
  const names = ['help', ...program.commands.flatMap((command) => [command.name(), ...command.aliases()])]
  if (names.includes(first)) return
  throw new CrmError('not_found', `There is no command called ${quote(first)}.`, {
    hint: `Nearest: ${nearest(fold(first), names, 3, true).join(', ')}. crm --help lists them all.`,
  })
}
