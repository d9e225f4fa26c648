import type { Command, Option } from 'commander'
import { membersOf, offeredBy, type Separator, separatorOf } from './offers.ts'

/** A flag that can be completed. */
export interface CompletedFlag {
  readonly names: readonly string[]
  readonly help: string
  /** Whether a value follows. */
  readonly value: 'none' | 'optional' | 'needed'
  /** The choices for its value. */
  readonly words: readonly string[]
  /** The character after which they are offered, too, as the values of a list are. */
  readonly separator: Separator | undefined
  /** Whether its value is a file. */
  readonly isFile: boolean
  /** The names of nested flags, which follow it after a dot and take the same values. */
  readonly members: readonly string[]
}

/** A command that can be completed. */
export interface CompletedCommand {
  /** Its name, after that of the command it belongs to. */
  readonly path: readonly string[]
  readonly help: string
  readonly flags: readonly CompletedFlag[]
  readonly commands: readonly CompletedCommand[]
  /** The words that may follow it. */
  readonly words: readonly string[]
  /** Whether files may follow it. */
  readonly takesFiles: boolean
}

const FILE = /file|path|folder/i

/** All commands and flags, derived from the program. */
export function modelOf(command: Command, path: readonly string[] = []): CompletedCommand {
  const { registeredArguments: words } = command
  return {
    path,
    help: sentence(command.description()),
    flags: [...command.options.filter(isOffered).map(flagOf), HELP],
    commands: command.commands.map((one) => modelOf(one, [...path, one.name()])),
    words: words.flatMap(offeredBy),
    takesFiles: words.some((argument) => FILE.test(argument.name())),
  }
}

const HELP: CompletedFlag = { names: ['--help'], help: 'explain the command', value: 'none', words: [], separator: undefined, isFile: false, members: [] }

/** Nested flags are too many to be listed in the help, but are completed. */
const isOffered = ({ hidden, long }: Option) => !hidden || long?.includes('.') === true

function flagOf(option: Option): CompletedFlag {
  const { long, short, required, optional, description } = option
  return {
    names: [long, short].filter((name) => typeof name === 'string'),
    help: sentence(description),
    value: required ? 'needed' : optional ? 'optional' : 'none',
    words: offeredBy(option),
    separator: separatorOf(option),
    isFile: FILE.test(option.flags),
    members: membersOf(option),
  }
}

/** Groups the flags of a command that have the same nested names. */
export function followedFlags({ flags }: CompletedCommand): { readonly members: readonly string[]; readonly names: readonly string[] }[] {
  const followed = flags.filter(({ members }) => members.length > 0)
  const kinds = new Map(followed.map(({ members }) => [members.join(), members]))
  return [...kinds].map(([kind, members]) => ({ members, names: followed.filter((flag) => flag.members.join() === kind).flatMap(({ names }) => names) }))
}

/** The first clause of a description. */
const sentence = (text: string) => text.split(/[;:.](?:\s|$)/)[0]?.trim() ?? ''
