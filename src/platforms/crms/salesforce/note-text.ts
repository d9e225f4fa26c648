const ENTITIES: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const CHARS: { readonly [entity: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** A text as modern notes keep it: HTML, in base 64. */
export function contentOf(text: string): string {
  const html = text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string).replace(/\r\n|[\r\n]/g, '<br>')
  return Buffer.from(html).toString('base64')
}

/** The text of a modern note: its lines, without formatting. */
export function textIn(html: string): string {
  return html
    .replace(/<br\s*\/?>|<\/(?:p|div|li|h\d)>(?=.)/gis, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return CHARS[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
}
