import { styleText } from 'node:util'
import type { Io, Sink } from './io.ts'

const COLOURS = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const

type Colour = (typeof COLOURS)[number]

export type Paint = { readonly [C in Colour]: (text: string) => string }

const paintBy = (apply: (colour: Colour, text: string) => string) =>
  Object.fromEntries(COLOURS.map((colour) => [colour, (text: string) => (text === '' ? '' : apply(colour, text))])) as Paint

const COLOURED = paintBy((colour, text) => styleText(colour, text, { validateStream: false }))
const PLAIN = paintBy((_, text) => text)

/** Colours for a terminal that has them; the text as it is for everything else. */
export function paintFor(sink: Sink, env: Io['env']): Paint {
  return hasColours(sink, env) ? COLOURED : PLAIN
}

/** FORCE_COLOR comes first, as in Node itself; then NO_COLOR, then what the terminal can do. */
export function hasColours(sink: Sink, { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal }: Io['env']): boolean {
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return sink.isTTY === true && !none && terminal !== 'dumb'
}
