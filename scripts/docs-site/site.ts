import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type Rendered, renderMarkdown } from './markdown.ts'
import { pageHtml } from './page.ts'

/** A page of the site. Paths are relative to docs/. */
export interface Page extends Rendered {
  readonly source: string
  readonly path: string
  /** Where the console has the same. */
  readonly inConsole: string | undefined
}

/** The sidebar: the sections of the index with the pages they list. */
export interface Group {
  readonly title: string
  readonly entries: readonly { readonly title: string; readonly href: string }[]
}

/** What lies outside of docs/ is read in the repository. */
const REPOSITORY = 'https://github.com/crm-connector/crm-connector'
const OPERATION = /^operations\/(\w+)\.md$/
/** The answer to an address that has no page. */
const MISSING = '404.html'
const NOTHING_HERE = '# There is no page here\n\nSearch above for what you were looking for, or begin at the [list of all pages](index.html).\n'
/** A section that is longer is found by its beginning. */
const SEARCHED_TEXT = 700

/** Where the console has the same, from the root of the site, which lies one level below it: it has each operation as a form. */
function inConsole(source: string): string | undefined {
  const operation = OPERATION.exec(source)?.[1]
  return operation && (operation === 'README' ? '../#/operations' : `../#/operations/${operation}`)
}

/** The file that is made of a page of docs/, from the root of the site. */
export const pathOf = (source: string) => source.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')

/** The way from a page to the root of the site. */
const upFrom = (source: string) => '../'.repeat(source.split('/').length - 1)

/** Where a link in a page leads to. */
function linkFrom(source: string): (href: string) => string {
  return (href) => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href
    const [path = '', anchor] = href.split('#')
    const target = posix.normalize(posix.join(dirname(source), path))
    if (target.startsWith('../')) return `${REPOSITORY}/${/\.\w+$/.test(target) ? 'blob' : 'tree'}/main/${target.slice(3)}`
    if (!target.endsWith('.md')) return upFrom(source) + target
    return `${upFrom(source)}${pathOf(target)}${anchor === undefined ? '' : `#${anchor}`}`
  }
}

/** All pages of a docs/ folder, those of the index first and in its order. */
export function readPages(docs: string): { readonly pages: readonly Page[]; readonly groups: readonly Group[] } {
  const read = (source: string): Page => {
    const rendered = renderMarkdown(readFileSync(join(docs, source), 'utf8'), linkFrom(source))
    return { ...rendered, source, path: pathOf(source), inConsole: inConsole(source) }
  }
  const index = readFileSync(join(docs, 'README.md'), 'utf8')
  const groups = groupsOf(index)
  const listed = [...index.matchAll(/^- \[[^\]]+\]\(([^)#]+)\)/gm)].map(([, source = '']) => source)
  const all = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'))
  const others = all.filter((source) => source !== 'README.md' && !listed.includes(source)).sort()
  return { pages: ['README.md', ...listed, ...others].map(read), groups }
}

function groupsOf(index: string): Group[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n')[0] ?? '',
      entries: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)].map(([, title = '', source = '']) => ({ title, href: pathOf(source) })),
    }))
}

/** The files of the site, by their paths: a page each, and what the search looks through. */
export function siteFiles(docs: string): Map<string, string> {
  const { pages, groups } = readPages(docs)
  const order = groups.flatMap(({ entries }) => entries)
  const files = new Map<string, string>()
  for (const page of pages) {
    const at = order.findIndex(({ href }) => href === page.path)
    const beside = at < 0 ? {} : { previous: order[at - 1], next: order[at + 1] }
    files.set(page.path, pageHtml(page, groups, upFrom(page.source), beside))
  }
  // Its links are those of a page at the root; the service makes them fit the address that was asked for.
  files.set(MISSING, pageHtml({ ...renderMarkdown(NOTHING_HERE, (href) => href), source: 'README.md', path: MISSING, inConsole: undefined }, groups, '', {}))
  // A script, since pages that are opened from a disk may load no data. The index only names what the other pages explain.
  files.set('search.js', `globalThis.searched = ${JSON.stringify(pages.slice(1).flatMap(searchEntries))}\n`)
  return files
}

/** What is found: a section each, of an operation the page alone. `[title, page, address, text]` */
function searchEntries({ source, title, sections }: Page): [string, string, string, string][] {
  const operation = OPERATION.test(source)
  return (operation ? sections.slice(0, 1) : sections).map(({ heading, text }) => [
    heading.text,
    operation ? 'Operations' : title,
    heading.depth === 1 ? pathOf(source) : `${pathOf(source)}#${heading.id}`,
    text.slice(0, SEARCHED_TEXT),
  ])
}
