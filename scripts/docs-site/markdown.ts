import { Marked, type Token, type Tokens } from 'marked'
import { htmlText } from '../../src/transports/http/html-page.ts'

/** Where a link or an image of a page leads to on the site. */
export type ResolveLink = (href: string) => string

export interface Heading {
  readonly depth: number
  /** The anchor, as GitHub makes it of the text. */
  readonly id: string
  /** Without marks. */
  readonly text: string
}

export interface Rendered {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  /** The text below each heading, for the search. */
  readonly sections: readonly { readonly heading: Heading; readonly text: string }[]
}

/** A page as HTML. HTML in a page is shown as text, apart from keys, and comments are left out. */
export function renderMarkdown(markdown: string, resolve: ResolveLink): Rendered {
  const uniqueId = uniqueIds()
  const headings: Heading[] = []
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        const text = plainText(tokens)
        const id = uniqueId(anchorOf(text))
        headings.push({ depth, id, text })
        const link = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${htmlText(text)}">#</a>`
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`
      },
      // What may have to be scrolled can be focused.
      code: ({ lang, text }) =>
        `<div class="code"><pre tabindex="0" role="group" aria-label="${lang ? `Code, ${htmlText(lang)}` : 'Code'}"><code>${htmlText(text)}</code></pre></div>\n`,
      table({ header, align, rows }) {
        const inline = ({ tokens }: Tokens.TableCell) => breakable(this.parser.parseInline(tokens))
        const aligned = (i: number) => (align[i] === 'right' ? ' class="right"' : '')
        const isTitled = ({ text }: Tokens.TableCell) => text !== ''
        const row = (cells: readonly Tokens.TableCell[]) => {
          const name = nameIn(cells[0])
          const id = name === undefined ? undefined : uniqueId(name, { once: true })
          const html = cells.map((cell, i) => `<td${aligned(i)}>${i === 0 && id !== undefined ? `<a href="#${id}">${inline(cell)}</a>` : inline(cell)}</td>`)
          return `<tr${id === undefined ? '' : ` id="${id}"`}>${html.join('')}</tr>`
        }
        // A column without a title has an empty cell there, which is no heading of anything.
        const titles = header.map((cell, i) => (isTitled(cell) ? `<th scope="col"${aligned(i)}>${inline(cell)}</th>` : '<td></td>'))
        const head = header.some(isTitled) ? `<thead><tr>${titles.join('')}</tr></thead>\n` : ''
        return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>\n${rows.map(row).join('\n')}\n</tbody></table></div>\n`
      },
      link({ href, tokens }) {
        return `<a href="${htmlText(resolve(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image: ({ href, text }) => `<img src="${htmlText(resolve(href))}" alt="${htmlText(text)}" loading="lazy">`,
      html: ({ text }) => (/^<\/?kbd>$/.test(text) ? text : text.startsWith('<!--') ? '' : htmlText(text)),
    },
  })
  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  const texts = textsBelow(tokens)
  return { title: headings[0]?.text ?? '', html, headings, sections: headings.map((heading, i) => ({ heading, text: texts[i] ?? '' })) }
}

/** Names in the narrow columns of tables break between their words. */
const breakable = (html: string) => html.replace(/<code>[^<]*/g, (code) => code.replace(/[_./](?=\w)/g, '$&<wbr>'))

/** The text below each heading; what is above the first belongs to it. */
function textsBelow(tokens: readonly Token[]): string[] {
  const sections: Token[][] = [[]]
  for (const token of tokens) {
    if (token.type !== 'heading') sections.at(-1)?.push(token)
    else if (token !== tokens.find(({ type }) => type === 'heading')) sections.push([])
  }
  return sections.map(plainText)
}

/** A text without its marks; code that stands by itself is no text. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'table')
        return [token.header, ...token.rows]
          .flat()
          .map(({ tokens }) => `${plainText(tokens)} `)
          .join('')
      if (token.type === 'list') return (token as Tokens.List).items.map(({ tokens }) => `${plainText(tokens)} `).join('')
      if (token.type === 'code' || token.type === 'html') return ''
      const text = 'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? String(token.text) : ' '
      return token.type === 'paragraph' ? `${text} ` : text
    })
    .join('')
    .replace(/\s+/g, ' ')
}

export const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

/** Numbers ids that are wanted again; with `once` there is none then. */
function uniqueIds() {
  const used = new Map<string, number>()
  function uniqueId(wanted: string): string
  function uniqueId(wanted: string, how: { readonly once: true }): string | undefined
  function uniqueId(wanted: string, how?: { readonly once: true }): string | undefined {
    const times = used.get(wanted) ?? 0
    if (how && times > 0) return undefined
    used.set(wanted, times + 1)
    return times === 0 ? wanted : `${wanted}-${times}`
  }
  return uniqueId
}

/** The name that a row is about, by which it can be linked to. */
const nameIn = (cell: Tokens.TableCell | undefined) => /^`([\w-]+)`$/.exec(cell?.text ?? '')?.[1]
