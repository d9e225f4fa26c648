import { type Command, Option } from 'commander'
import { csvLine } from '../../files/exporting/csv-line.ts'
import type { Row } from './cells.ts'
import { type Io, terminalWidth, write } from './io.ts'
import { paintFor } from './paint.ts'
import { tamed } from './text.ts'
import { objectLines, type View } from './views.ts'

const FORMATS = ['json', 'table', 'csv'] as const

export type Format = (typeof FORMATS)[number]

/** Offers a choice of how the answer is printed. */
export function withOutput(command: Command, formats: readonly Format[] = FORMATS): Command {
  return command.addOption(new Option('--output <format>', 'how to print the answer; a table on a terminal, JSON otherwise').choices(formats))
}

/** The format of the answer: as given, or else a table on a terminal and JSON otherwise. */
export function formatOf(command: Command, { stdout }: Io): Format {
  const { output } = command.opts<{ output?: Format }>()
  return output ?? (stdout.isTTY ? 'table' : 'json')
}

export const viewOf = ({ stdout, env }: Io, more: Partial<View> = {}): View => ({ width: terminalWidth(stdout), paint: paintFor(stdout, env), ...more })

/** Prints an answer that is an object. */
export async function present(io: Io, answer: Row, format: Format, view: View = viewOf(io)): Promise<void> {
  if (format === 'json') await write(io, jsonText(io, answer))
  else if (format === 'csv') await write(io, csvText(io, csvLine(Object.keys(answer)) + csvLine(Object.values(answer))))
  else await writeLines(io, objectLines(answer, view))
}

export const writeLines = (io: Io, lines: readonly string[]) => write(io, lines.map((line) => `${line}\n`).join(''))

/** What JSON leaves as it is although a terminal would obey it, or show it the other way round. */
const OBEYED = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Indented for people on a terminal, one line for programs. */
export function jsonText({ stdout }: Io, value: unknown, indented = stdout.isTTY): string {
  const text = JSON.stringify(value, null, indented ? 2 : undefined)
  return `${stdout.isTTY ? text.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`) : text}\n`
}

/** To a file as it is, to a terminal without what that would obey. */
export const csvText = ({ stdout }: Io, text: string) => (stdout.isTTY ? tamed(text) : text)
