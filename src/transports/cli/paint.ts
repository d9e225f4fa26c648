import type { Io, Sink } from './io.ts'

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39] } as const

type Colour = keyof typeof CODES

export type Paint = { readonly [C in Colour]: (text: string) => string }

const plain = (text: string) => text
const colours = Object.keys(CODES) as Colour[]
const COLOURED = Object.fromEntries(
  colours.map((colour) => [colour, (text: string) => (text === '' ? '' : `\u001b[${CODES[colour][0]}m${text}\u001b[${CODES[colour][1]}m`)]),
) as Paint
const PLAIN = Object.fromEntries(colours.map((colour) => [colour, plain])) as Paint

/** Colours for a terminal that has them; for everything else the text as it is. */
export function paintFor(sink: Sink, env: Io['env']): Paint {
  return hasColours(sink, env) ? COLOURED : PLAIN
}

/** FORCE_COLOR is the strongest, as in Node itself; then NO_COLOR, then what the terminal can. */
export function hasColours(sink: Sink, { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal }: Io['env']): boolean {
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return sink.isTTY === true && !none && terminal !== 'dumb'
}
