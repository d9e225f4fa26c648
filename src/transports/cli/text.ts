/** What takes two columns of a terminal, beside emoji: East Asian wide and full-width characters. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u
/** What takes none: combining marks, invisible characters, and the vowels and finals of a Hangul syllable. */
const NARROW = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]/u
const EMOJI = /^\p{Emoji_Presentation}|\ufe0f/u
const PLAIN = /^[\x20-\x7e]*$/

let segmenter: Intl.Segmenter | undefined
/** The segmenter is made when first needed: it takes a tenth of a command's time. */
function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The characters a reader sees, each with the columns it takes. */
function* charactersOf(text: string): Generator<{ readonly character: string; readonly width: number }> {
  for (const { segment } of graphemesOf(text)) {
    const width = EMOJI.test(segment) ? 2 : [...segment].reduce((sum, point) => sum + (NARROW.test(point) ? 0 : WIDE.test(point) ? 2 : 1), 0)
    yield { character: segment, width }
  }
}

/** The columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const one of charactersOf(text)) width += one.width
  return width
}

/** A text that takes so many columns at most; an ellipsis stands for what is cut off. */
export function cut(text: string, most: number): string {
  if (widthOf(text) <= most) return text
  let beginning = ''
  let width = 0
  for (const one of charactersOf(text)) {
    if (width + one.width > most - 1) break
    beginning += one.character
    width += one.width
  }
  return most > 0 ? `${beginning}…` : ''
}

/** A text with blanks up to so many columns. */
export const padded = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** A text in lines of so many columns at most, broken between words where that can be. */
export function wrapped(text: string, most: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = []
    let rest = line
    while (widthOf(rest) > most) {
      const fits = beginningOf(rest, most)
      const blank = fits.lastIndexOf(' ')
      const taken = rest[fits.length] === ' ' || blank <= 0 ? fits : fits.slice(0, blank)
      lines.push(taken.trimEnd())
      rest = rest.slice(taken.length).trimStart()
    }
    return [...lines, rest]
  })
}

function beginningOf(text: string, most: number): string {
  let beginning = ''
  let width = 0
  for (const { character, width: more } of charactersOf(text)) {
    if (beginning !== '' && width + more > most) break
    beginning += character
    width += more
  }
  return beginning
}

/** What moves the cursor, changes colours, rings, or turns the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** A text as it may be shown on a terminal: whatever could disturb it is shown instead of obeyed. Lines stay lines. */
export function tamed(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|[\u2028\u2029]/g, '\n')
    .replace(CONTROL, (found) => {
      if (found === '\n') return found
      if (found === '\t') return '  '
      const code = found.charCodeAt(0)
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '␡' : '\ufffd'
    })
}

/** The same in one line. */
export const inOneLine = (text: string) => tamed(text).replaceAll('\n', '↵')
