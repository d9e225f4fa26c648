import type { Argument, Option } from 'commander'

type Taking = Option | Argument

const offers = new WeakMap<Taking, readonly string[]>()
const members = new WeakMap<Option, readonly string[]>()

/** An option or argument with words that are worth offering as its value, where others are taken too. */
export function offering<T extends Taking>(taking: T, words: readonly string[]): T {
  offers.set(taking, words)
  return taking
}

/** The words that complete a value. */
export const offeredBy = (taking: Taking): readonly string[] => taking.argChoices ?? offers.get(taking) ?? []

/** An option with names that may follow it after a dot, as the operators of a filter do. */
export function followed(option: Option, names: readonly string[]): Option {
  members.set(option, names)
  return option
}

/** The names that may follow an option after a dot. */
export const membersOf = (option: Option): readonly string[] => members.get(option) ?? []
