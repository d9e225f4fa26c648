import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderMarkdown } from '../scripts/docs-site/markdown.ts'
import { readPages, siteFiles } from '../scripts/docs-site/site.ts'

const docs = join(import.meta.dirname, '../docs')
const html = (markdown: string) => renderMarkdown(markdown, (href) => href).html.trim()

describe('Markdown', () => {
  test.each([
    ['a *b* **c `d`** <kbd>e</kbd>', '<p>a <em>b</em> <strong>c <code>d</code></strong> <kbd>e</kbd></p>'],
    ['`<b>` & "x" <script>', '<p><code>&lt;b&gt;</code> &amp; &quot;x&quot; &lt;script></p>'],
    ['`a *b* [c](d)`', '<p><code>a *b* [c](d)</code></p>'],
    ['[`a`](b.md#c) ![d](e.png)', '<p><a href="b.md#c"><code>a</code></a> <img src="e.png" alt="d" loading="lazy"></p>'],
    ['2 * 3 * 4, snake_case_name', '<p>2 * 3 * 4, snake_case_name</p>'],
    ['<!-- Generated. -->\n\na\nb', '<p>a\nb</p>'],
    ['- a\n  b\n- c', '<ul>\n<li>a\nb</li>\n<li>c</li>\n</ul>'],
    ['1. a\n   - b\n2. c', '<ol>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ol>'],
  ])('%j', (markdown, expected) => {
    expect(html(markdown)).toBe(expected)
  })

  test('a block of code inside a list is one of its item, and is shown as it is', () => {
    expect(html('1. a\n\n   ```json\n   { "b": "<c>" }\n     d\n   ```\n\n2. e')).toMatch(
      /^<ol>\n<li><p>a<\/p>\n<div class="code"><pre [^>]*><code>\{ &quot;b&quot;: &quot;&lt;c>&quot; \}\n {2}d<\/code><\/pre><\/div>\n<\/li>\n<li><p>e<\/p>\n<\/li>/,
    )
  })

  test('headings have the anchors that GitHub gives them, each another', () => {
    const { headings, title } = renderMarkdown('# A\n\n## `crm` in use, now\n\n## B\n\n## B\n', (href) => href)
    expect(title).toBe('A')
    expect(headings.map(({ id }) => id)).toEqual(['a', 'crm-in-use-now', 'b', 'b-1'])
  })

  test('a row that begins with a name can be linked to', () => {
    const table = html('| code | |\n|---|---:|\n| `a-b` | c \\| d |\n| e | 1 |')
    expect(table).toContain('<tr id="a-b"><td><a href="#a-b"><code>a-b</code></a></td><td class="right">c | d</td></tr>')
    expect(table).toContain('<tr><td>e</td><td class="right">1</td></tr>')
    expect(table).toContain('<thead><tr><th scope="col">code</th><td></td></tr></thead>')
  })
})

test('names in tables break between their words, and nowhere else', () => {
  expect(html('| a |\n|---|\n| `get_many_leads` or `leads.getMany`, 1.5 |')).toContain(
    '<td><code>get_<wbr>many_<wbr>leads</code> or <code>leads.<wbr>getMany</code>, 1.5</td>',
  )
  expect(html('`get_many_leads`')).toBe('<p><code>get_many_leads</code></p>')
})

describe('the site', () => {
  const files = siteFiles(docs)

  test('has every page of docs/, and the index lists each of them but the single operations', () => {
    const { pages, groups } = readPages(docs)
    const sources = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    expect(pages.map(({ source }) => source).sort()).toEqual(sources.sort())
    const listed = new Set(groups.flatMap(({ entries }) => entries.map(({ href }) => href)))
    expect(pages.filter(({ source, path }) => !/^(operations\/|README)/.test(source) && !listed.has(path)).map(({ source }) => source)).toEqual([])
    expect(listed).toContain('operations/index.html')
  })

  test('leads nowhere that is not there: pages, anchors, images and what lies in the repository', () => {
    const broken: string[] = []
    for (const [path, text] of files) {
      if (!path.endsWith('.html')) continue
      for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) if (!leads(path, link)) broken.push(`${path}: ${link}`)
    }
    expect(broken).toEqual([])
  })

  const BUILT = ['site.css', 'site.js', 'theme.js', 'icon.svg', 'openapi.json']

  function leads(path: string, link: string): boolean {
    const inRepository = /^https:\/\/github\.com\/crm-connector\/crm-connector\/(?:blob|tree)\/main\/(.*)$/.exec(link)?.[1]
    if (inRepository !== undefined) return existsSync(join(docs, '..', inRepository))
    if (/^https?:/.test(link)) return true
    const [name = '', anchor] = link.split('#')
    const target = name === '' ? path : posix.join(posix.dirname(path), name)
    // The console, beside the site.
    if (target === '../' || target === '..') return anchor === '/' || anchor === '/operations' || existsSync(join(docs, `${anchor?.slice(1)}.md`))
    const page = files.get(target)
    if (page !== undefined) return anchor === undefined || page.includes(` id="${anchor}"`)
    return BUILT.includes(target) || files.has(posix.join(target, 'index.html')) || (existsSync(join(docs, target)) && statSync(join(docs, target)).isFile())
  }

  test('has nothing inline that its policy would refuse', () => {
    for (const [path, text] of files) if (path.endsWith('.html')) expect(text, path).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|javascript:/)
  })

  test('has each operation as a page, which leads to its form in the console', () => {
    expect(files.get('operations/create_a_lead.html')).toContain('<a href="../../#/operations/create_a_lead">Try it in the console</a>')
    expect(files.get('operations/index.html')).toContain('<a href="../../#/operations">Try them in the console</a>')
    expect(files.get('platforms/hubspot.html')).toContain('<a href="../operations/index.html">Operations</a>')
    expect(files.get('cli.html')).not.toContain('class="try"')
  })

  test('is searched for words of its pages and for operations', () => {
    const entries = JSON.parse((files.get('search.js') ?? '').replace('globalThis.searched = ', '')) as [string, string, string, string][]
    const found = (title: string) => entries.find(([one]) => one === title)
    expect(found('Where commands go')?.slice(0, 3)).toEqual(['Where commands go', 'The command line', 'cli.html#where-commands-go'])
    expect(found('Create A Lead')?.slice(0, 3)).toEqual(['Create A Lead', 'Operations', 'operations/create_a_lead.html'])
    expect(JSON.stringify(entries).length).toBeLessThan(250_000)
  })
})

test('the blocks of the pages are closed', () => {
  for (const name of readdirSync(docs, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.md')) expect((readFileSync(join(docs, name), 'utf8').match(/^ *```/gm) ?? []).length % 2, name).toBe(0)
})
