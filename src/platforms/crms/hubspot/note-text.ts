const ESCAPES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;', '\n': '<br>' }

/** A text as HubSpot keeps the body of a note: as HTML. */
export function htmlOf(text: string): string {
  return text.replace(/[&<>\r\n]/g, (character) => ESCAPES[character] as string)
}

/** Elements behind which a new line begins. */
const BLOCKS = /<br\b[^<>]*>|<\/(?:p|div|li|tr|h[1-6]|blockquote|pre|ul|ol|table)\s*>/gi
const TAGS = /<\/?[a-z][^<>]*>/gi
const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/** The text of a note. What `htmlOf` made comes back as it was; of what people wrote in HubSpot the words and lines are left. */
export function textOf(html: string): string {
  const isOurs = !/<(?!br>)/.test(html)
  const lines = withoutComments(html.replace(BLOCKS, '\n')).replace(TAGS, '')
  const text = lines.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined
    if (code === undefined) return ENTITIES.get(name?.toLowerCase() ?? '') ?? whole
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
  return isOurs ? text : text.trim()
}

function withoutComments(html: string): string {
  let [text, from] = ['', 0]
  for (let start = html.indexOf('<!--'); start >= 0; start = html.indexOf('<!--', from)) {
    const end = html.indexOf('-->', start + 4)
    if (end < 0) break
    text += html.slice(from, start)
    from = end + 3
  }
  return text + html.slice(from)
}
