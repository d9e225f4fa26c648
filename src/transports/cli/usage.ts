import type { Command, CommanderError } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { fold, nearest } from '../../contract/names.ts'
import { nearestOperations } from '../../contract/nearest-operations.ts'
import { findOperation, OPERATIONS, operationNamed, quote } from '../../contract/operations.ts'
import { memberFlags } from './flags.ts'

/** Refuses an unknown command with the nearest ones; with --output json as every other transport refuses an unknown operation. */
export function refuseUnknown(program: Command, words: readonly string[], forProgram: boolean): void {
  const first = words[0] === 'help' ? words[1] : words[0]
  if (first === undefined || first.startsWith('-')) return
  const names = ['help', ...namesOf(program)]
  if (names.includes(first)) return
  if (forProgram) findOperation(first)
  const others = names.filter((name) => !operationNamed(name))
  const near = [...nearest(fold(first), others), ...nearestOperations(first, OPERATIONS)].slice(0, 3)
  throw new CrmError('not_found', `There is no command called ${quote(first)}.`, {
    hint: `${near.length > 0 ? `Nearest: ${near.join(', ')}. ` : ''}crm --help lists them all.`,
  })
}

/** Refuses a flag that another one follows where its value should be: the parser would take that for the value. */
export function refuseMissing(program: Command, words: readonly string[]): void {
  const { command, path } = called(program, words)
  for (let i = path.length; i < words.length && words[i] !== '--'; i++) {
    const option = command.options.find(({ long, short }) => words[i] === long || words[i] === short)
    if (!option?.required) continue
    if (/^--./.test(words[++i] ?? ''))
      throw refused(`${words[i - 1]} needs a value.`, `${helpOf(path)} A value that begins with -- is given as ${option.long}=--…`)
  }
}

/** What the parser has against a line, in our words. */
export function usageFault({ code, message }: CommanderError, program: Command, words: readonly string[]): CrmError {
  const { command, path } = called(program, words)
  const help = helpOf(path)
  const [, flag = ''] = /'(--?[^\s']+)/.exec(message) ?? []
  const [, word = ''] = /'([^']*)'/.exec(message) ?? []
  const name = path.join(' ') || 'crm'
  switch (code) {
    case 'commander.unknownOption': {
      const near = nearFlag(flag.split('=')[0] ?? flag, command)
      return refused(`${name} has no flag ${flag}.`, `${near === undefined ? '' : `Did you mean ${near}? `}${help.replace('explains it', 'lists them all')}`)
    }
    case 'commander.optionMissingArgument':
      return refused(`${flag} needs a value.`, help)
    case 'commander.missingArgument':
      return refused(`${name} needs ${word.toUpperCase()}.`, help)
    case 'commander.excessArguments':
      return refused(`${name} was given more words than it takes.`, `A value with blanks in it needs quotes. ${help}`)
    case 'commander.unknownCommand': {
      const [near] = nearest(word, namesOf(command), 1, true)
      return refused(`crm ${name} has no command called ${quote(word)}.`, `${near === undefined ? '' : `Did you mean ${near}? `}${help}`)
    }
    case 'commander.invalidArgument': {
      const [start, end] = [message.search(/(?:argument|value) '/), message.lastIndexOf("' is invalid")]
      const given = message.slice(message.indexOf("'", start) + 1, end)
      const [, argument, why = ''] = /^' is invalid(?: for argument '(\w+)')?\. (.*)/s.exec(message.slice(end)) ?? []
      const [, long = word] = /(--[\w-]+)/.exec(message) ?? []
      return refused(`${argument === undefined ? long : `The ${argument}`} cannot be ${quote(given)}.`, why.replace(/^Allowed choices are/, 'It is one of'))
    }
    default:
      return refused(message.replace(/^error: /, ''), help)
  }
}

const helpOf = (path: readonly string[]) => `${['crm', ...path].join(' ')} --help explains it.`

const refused = (message: string, hint: string) => new CrmError('invalid_input', message, { hint })

const namesOf = ({ commands }: Command) => commands.flatMap((command) => [command.name(), ...command.aliases()])

/** The flag that was meant: also one inside of another, where its last word is near. */
function nearFlag(typed: string, command: Command): string | undefined {
  const operation = OPERATIONS.find(({ id }) => id === command.name())
  const inner = operation ? memberFlags(operation) : []
  const lastWord = (flag: string) => flag.split('.').at(-1) ?? flag
  const [near] = nearest(typed, [...flagsOf(command), ...inner])
  const [member] = nearest(lastWord(typed).replace(/^--/, ''), inner.map(lastWord))
  return near ?? inner.find((flag) => lastWord(flag) === member)
}

const flagsOf = ({ options }: Command) => options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long ? [long] : []))

/** The command that a line calls, as far as it is known. */
function called(program: Command, words: readonly string[]): { readonly command: Command; readonly path: readonly string[] } {
  let command = program
  const path: string[] = []
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (!next) break
    command = next
    path.push(next.name())
  }
  return { command, path }
}
