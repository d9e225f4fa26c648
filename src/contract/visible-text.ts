/**
 * Characters that are not seen, or change how others are shown: controls, line separators, zero-width characters, bidirectional overrides,
 * variation selectors and tags, the blank of Braille, and what Unicode has not assigned.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A text in one line, in which every character is seen: `\n`, `\u202e`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escaped)
}

/** A value as JSON, in which every character is seen. What it holds can be taken neither for words of the server nor for another value. */
export function quoted(value: unknown): string {
  return visible(JSON.stringify(value) ?? 'null')
}

/** A name, quoted unless it is one word. */
export function quotedName(name: string): string {
  return /^\w+$/.test(name) ? name : quoted(name)
}

/** A value of a choice, quoted where it could be taken for several, or for words about them. */
export function quotedChoice(value: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N} _./&+-]*$/u.test(value) && visible(value) === value ? value : quoted(value)
}

function escaped(character: string): string {
  if (character < ' ') return JSON.stringify(character).slice(1, -1)
  return Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
}
