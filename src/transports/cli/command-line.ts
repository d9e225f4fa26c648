import type { Operation } from '../../contract/operation.ts'
import { shellQuote } from '../../helpers/shell-quote.ts'
import type { Flags } from './app.ts'
import type { Row } from './cells.ts'
import { asFlags } from './flags.ts'

/** The flags that say where a command goes, to be repeated in another. */
export interface Destination {
  readonly flags: Flags
  readonly workspace?: string | undefined
}

/** Flags with their values, joined where the value would be taken for a flag. */
function joined(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    if (i % 2 === 1) return word.startsWith('--') ? [] : [word]
    const value = words[i + 1] ?? ''
    return value.startsWith('--') ? [`${word}=${value}`] : [word]
  })
}

/** A command that can be pasted into a shell. */
export function commandLine(operation: Operation, input: Row, { flags, workspace }: Destination = { flags: {} }): string {
  const where = Object.entries({ ...flags, workspace }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
  return ['crm', operation.id, ...joined([...asFlags(input, operation), ...where])].map(shellQuote).join(' ')
}
