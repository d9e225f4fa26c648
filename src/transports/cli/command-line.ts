import type { Operation } from '../../contract/operation.ts'
import type { Flags } from './app.ts'
import type { Row } from './cells.ts'
import { asFlags } from './flags.ts'

/** A word as a shell takes it. */
export const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** Where a command was told to go, to be told again. */
export interface Said {
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
export function commandLine(operation: Operation, input: Row, { flags, workspace }: Said = { flags: {} }): string {
  const where = Object.entries({ ...flags, workspace }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
  return ['crm', operation.id, ...joined([...asFlags(input, operation), ...where])].map(quoted).join(' ')
}
