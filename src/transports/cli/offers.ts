import type { Argument, Option } from 'commander'

type Taking = Option | Argument

/** That of a list, or of a pair, which has nothing to offer before it. */
export type Separator = ',' | '='

const offers = new WeakMap<Taking, readonly string[]>()
const separators = new WeakMap<Taking, Separator>()
const members = new WeakMap<Option, readonly string[]>()

/** An option or argument with words that are worth offering as its value, where others are taken too. */
export function offering<T extends Taking>(taking: T, words: readonly string[]): T {
  offers.set(taking, words)
  return taking
}

/** The words that complete a value. */
export const offeredBy = (taking: Taking): readonly string[] => taking.argChoices ?? offers.get(taking) ?? []

/** An option that takes several values, each of which, or its part that is worth offering, begins after a character. */
export function listing<T extends Taking>(taking: T, separator: Separator): T {
  separators.set(taking, separator)
  return taking
}

/** The character after which words are offered; undefined where they are the whole value. */
export const separatorOf = (taking: Taking): Separator | undefined => separators.get(taking)

/** An option with names that may follow it after a dot, as the operators of a filter do. */
export function followed(option: Option, names: readonly string[]): Option {
  members.set(option, names)
  return option
}

/** The names that may follow an option after a dot. */
export const membersOf = (option: Option): readonly string[] => members.get(option) ?? []
