/** Controls, direction overrides and tags, by which a text is shown as another than it is. Joiners of emoji and line breaks are left. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const DECEIVING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** A text with one sign for the ends of its lines, as pages and text areas have it: files from Windows have two. */
export const withPlainLines = (text: string): string => text.replace(/\r\n?/g, '\n')

/** A text on which a person decides: what would change how it reads is shown escaped, as `\u202e`. */
export const visibleText = (text: string): string =>
  withPlainLines(text).replace(DECEIVING, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)

/** Letters of scripts that are read from right to left, such as Arabic and Hebrew. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A name or value that stands among other words: it reads as it is, and leaves the order of those around it. `Words` shows it without the characters that keep it apart. */
export function shownText(text: string): string {
  const visible = visibleText(text)
  return RIGHT_TO_LEFT.test(visible) ? `\u2068${visible}\u2069` : visible
}
