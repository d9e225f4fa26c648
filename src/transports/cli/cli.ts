import { Command, CommanderError } from 'commander'
import { fold } from '../../contract/names.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { type Extending, operationOn } from '../../core/call/extension.ts'
import { type App, type Shell, settingsOf, withSettings } from './app.ts'
import { completionCommand } from './completion-command.ts'
import { connectCommand } from './connect-command.ts'
import { demoCommand } from './demo/command.ts'
import { docsCommand } from './docs-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { Ended } from './ended.ts'
import { exportCommand } from './export/command.ts'
import { memberFlags, referenceFlags } from './flags.ts'
import { FILES, groupedOperations, JOURNAL, SERVICE, STORE } from './groups.ts'
import { isHelp, operationForHelp } from './help-fields.ts'
import { importCommand } from './import/command.ts'
import { type Io, terminalWidth } from './io.ts'
import { journalCommands } from './journal-commands.ts'
import { loginCommands } from './login-commands.ts'
import { mcpCommand } from './mcp-command.ts'
import { mirrorCommand } from './mirror-command.ts'
import { operationCommand } from './operation-command.ts'
import { hasColours, paintFor } from './paint.ts'
import { printError } from './refusal.ts'
import { secretsCommand } from './secrets-command.ts'
import { signInCommand } from './sign-in-command.ts'
import { simulateCommand } from './simulate-command.ts'
import { storeCommands } from './store-commands.ts'
import { tailCommand } from './tail-command.ts'
import { cut, padded } from './text.ts'
import { typesCommand } from './types/command.ts'
import { refuseMissing, refuseUnknown, usageFault } from './usage.ts'

/** Runs one command and resolves to the exit code. */
export async function runCli(words: readonly string[], app: App, io: Io): Promise<number> {
  const operation = calledOperation(words)
  const program = await programFor({ ...app, io }, words, operation)
  const refused = { operation, asJson: wantsJson(words), takesKey: operation !== undefined || words[0] === 'batch' }
  try {
    refuseUnknown(program, words, refused.asJson)
    refuseMissing(program, words)
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof Ended) return error.code
    if (!(error instanceof CommanderError)) return printError(io, error, refused)
    if (error.exitCode === 0) {
      // What help no longer waits for, such as a connection that is being made, would keep the process from ending.
      io.abandon()
      return 0
    }
    return error.code === 'commander.help' ? 2 : printError(io, usageFault(error, program, words), refused)
  }
}

/** The program for a line. The help of an operation also has the fields that only the workspace has. */
async function programFor(shell: Shell, words: readonly string[], called: Operation | undefined): Promise<Command> {
  const program = createProgram(shell, words)
  const [command] = program.commands
  if (!called || !command || !isHelp(words)) return program
  const operation = await operationForHelp(shell, called, command, words.slice(words[0] === 'help' ? 2 : 1))
  // The options of a command can be parsed only once.
  return createProgram(shell, words, undefined, operation)
}

/** The operation that is called, or else all commands; operations that are only listed have no flags unless it is to be complete, with the fields of a platform. */
export function createProgram(shell: Shell, words: readonly string[], complete?: Extending, called = complete ? undefined : calledOperation(words)): Command {
  const { io } = shell
  const program = new Command('crm')
    .description('Drives a CRM through named operations: on the local store, or through a server.')
    .version(shell.version, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => terminalWidth(io.stdout),
      getErrHelpWidth: () => terminalWidth(io.stderr),
      getOutHasColors: () => hasColours(io.stdout, io.env),
      getErrHasColors: () => hasColours(io.stderr, io.env),
    })
    .configureHelp({ styleTitle: paintFor(io.stdout, io.env).bold })
    .enablePositionalOptions()

  if (called) {
    operationCommand(program, shell, called, { as: calledWord(words), words })
    return program
  }
  for (const [group, operations] of groupedOperations()) {
    program.commandsGroup(`${group}:`)
    for (const one of operations) {
      const operation = complete ? operationOn(complete, one) : one
      operationCommand(program, shell, operation, complete ? { as: operation.id, words: [...memberFlags(operation), ...referenceFlags(operation)] } : undefined)
    }
  }
  program.commandsGroup(`${JOURNAL}:`)
  journalCommands(program, shell)
  mirrorCommand(program, shell)
  tailCommand(program, shell)

  program.commandsGroup(`${FILES}:`)
  importCommand(program, shell)
  exportCommand(program, shell, words)
  typesCommand(program, shell)
  demoCommand(program, shell)

  program.commandsGroup(`${SERVICE}:`)
  withSettings(program.command('serve'), shell, (name) => name !== 'url')
    .description('Serve the operations over HTTP')
    .addHelpText('after', '\nExample:\n  crm serve --port 8484')
    .action((_, command: Command) => shell.serve(settingsOf(command, shell)))
  mcpCommand(program, shell)
  signInCommand(program, shell)
  loginCommands(program, shell)
  connectCommand(program, shell)
  doctorCommand(program, shell)
  simulateCommand(program, shell)
  docsCommand(program, shell)
  completionCommand(program, shell, (platform) => createProgram(shell, [], platform))
  program.helpCommand('help [command]', 'Explain a command')

  program.commandsGroup(`${STORE}:`)
  storeCommands(program, shell)
  secretsCommand(program, shell)

  program.configureHelp({
    subcommandTerm: (command) => command.name(),
    subcommandDescription: (command) =>
      command
        .description()
        .split(/[:;]|, page by page/, 1)
        .join()
        .replace(/\.$/, ''),
    formatItem: (term, width, description, helper) =>
      `  ${padded(term, width)}  ${cut(description, Math.max(20, (helper.helpWidth ?? 80) - width - 4))}`.trimEnd(),
    styleTitle: paintFor(io.stdout, io.env).bold,
  })
  program.addHelpText('after', '\ncrm COMMAND --help explains a command, with an example.')
  program.action(() => program.outputHelp())
  return program
}

/** The word that names the command: what a person types is folded to the id, so that every spelling is the same command. */
function calledWord([first = '', second = '']: readonly string[]): string {
  return first === 'help' ? second : first
}

function calledOperation(words: readonly string[]): Operation | undefined {
  const id = fold(calledWord(words))
  return OPERATIONS.find((operation) => operation.id === id)
}

/** Whether JSON was asked for in so many words: then a refusal is JSON too. */
function wantsJson(words: readonly string[]): boolean {
  return words.some((word, i) => word === '--output=json' || (word === '--output' && words[i + 1] === 'json'))
}
