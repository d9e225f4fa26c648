/** How much a JSON text may hold. */
export interface Extent {
  readonly values: number
  readonly depth: number
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Which limit a JSON text exceeds, found in one pass before anything of it is parsed: the values of a text take many times its own size
 * in memory. Values are counted by commas and brackets, so that there are never more than counted. A text that is not JSON is counted too.
 */
export function exceeds(text: string, { values, depth }: Extent): keyof Extent | undefined {
  let count = 1
  let level = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        level += 1
        count += 1
        if (level > depth) return 'depth'
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        level -= 1
        break
      case COMMA:
        count += 1
        break
    }
    if (count > values) return 'values'
  }
  return undefined
}

/** Where the string that starts here has its closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}
