/** An element with its name without prefix. */
export interface Element {
  readonly name: string
  readonly attributes: { readonly [name: string]: string }
  readonly children: Element[]
  text: string
}

const PART = /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<[?!][^>]*>|<(\/)?([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/)?>|([^<]+)/g
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

const plain = (name: string) => name.replace(/^.*:/, '')

/** Parses the subset of XML that SOAP needs; undefined if malformed. */
export function readXml(text: string): Element | undefined {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  let read = 0
  for (const match of text.matchAll(PART)) {
    if (match.index !== read) return undefined
    read = match.index + match[0].length
    const [, cdata, closing, name, attributes = '', empty, words] = match
    const top = open.at(-1) as Element
    if (cdata !== undefined) top.text += cdata
    else if (words !== undefined) top.text += unescaped(words)
    else if (name === undefined) continue
    else if (closing) {
      if (open.length === 1 || top.name !== plain(name)) return undefined
      open.pop()
    } else {
      const found = [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', double, single]) => [plain(key), unescaped(double ?? single ?? '')])
      const element: Element = { name: plain(name), attributes: Object.fromEntries(found), children: [], text: '' }
      top.children.push(element)
      if (!empty) open.push(element)
    }
  }
  return read === text.length && open.length === 1 ? root.children[0] : undefined
}

const NAMED: { readonly [name: string]: string } = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    return NAMED[name ?? ''] ?? whole
  })
}

const ESCAPES: { readonly [char: string]: string } = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&apos;' }
export const escaped = (text: string) => text.replace(/[<>&"']/g, (char) => ESCAPES[char] ?? char)

/** Child elements by name; repeated ones as a list. */
export function asObject(element: Element): unknown {
  if (element.children.length === 0) return element.attributes.nil === 'true' ? null : element.text.trim()
  const made: { [name: string]: unknown } = {}
  for (const child of element.children) {
    const value = asObject(child)
    const earlier = Object.hasOwn(made, child.name) ? made[child.name] : undefined
    made[child.name] = earlier === undefined ? value : Array.isArray(earlier) ? [...earlier, value] : [earlier, value]
  }
  return made
}

/** The first element of this name at any depth. */
export function within(element: Element | undefined, name: string): Element | undefined {
  const waiting = element ? [element] : []
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (next.name === name) return next
    waiting.push(...next.children)
  }
  return undefined
}
