import type { Option } from 'commander'

const offers = new WeakMap<Option, readonly string[]>()

/** An option with words that are worth offering as its value, where others are taken too. */
export function offering(option: Option, words: readonly string[]): Option {
  offers.set(option, words)
  return option
}

/** The words that complete the value of an option. */
export const offeredBy = (option: Option): readonly string[] => option.argChoices ?? offers.get(option) ?? []
