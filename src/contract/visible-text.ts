/**
 * Characters that are not seen, or change how others are shown: controls, line separators, zero-width characters, bidirectional overrides,
 * variation selectors and tags, the blank of Braille, and what Unicode has not assigned.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A text in one line, in which every character is seen: `\n`, `\u202e`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escaped)
}

function escaped(character: string): string {
  if (character < ' ') return JSON.stringify(character).slice(1, -1)
  return Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
}
