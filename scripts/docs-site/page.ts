import { htmlText } from '../../src/transports/http/html-page.ts'
import type { Group, Page } from './site.ts'

type Entry = Group['entries'][number]

/** A whole page. `up` leads from it to the root of the site. */
export function pageHtml(
  page: Page,
  groups: readonly Group[],
  up: string,
  beside: { readonly previous?: Entry | undefined; readonly next?: Entry | undefined },
): string {
  const isIndex = page.path === 'index.html'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${htmlText(isIndex ? 'CRM Connector: documentation' : `${page.title} · CRM Connector`)}</title>
<link rel="icon" type="image/svg+xml" href="${up}icon.svg">
<link rel="stylesheet" href="${up}site.css">
<script src="${up}theme.js"></script>
<script src="${up}site.js" defer></script>
</head>
<body data-root="${up}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="home" href="${up}index.html"><img src="${up}icon.svg" alt="" width="28" height="28"><strong>CRM Connector</strong> <span>Docs</span></a>
<form class="search" role="search" hidden>
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<kbd>/</kbd>
<div class="found" hidden></div>
</form>
<button type="button" class="theme" hidden></button>
<a class="to-console" href="${up}../#/">Console</a>
</header>
<div class="columns">
<nav class="pages" aria-label="Documentation">
<details open>
<summary>Pages</summary>
${groups.map((group) => groupHtml(group, page.path, up)).join('\n')}
</details>
</nav>
<main id="content" tabindex="-1">
<article>
${tried(page, up)}
</article>
${footer(beside, up)}</main>
${onThisPage(page)}</div>
</body>
</html>
`
}

/** The page of the single operations. */
const OPERATIONS = 'operations/index.html'

/** What a page says; below its title, where the console has it to be tried. */
function tried({ html, inConsole, path }: Page, up: string): string {
  if (inConsole === undefined) return html
  const link = `<p class="try"><a href="${up}${inConsole}">Try ${path === OPERATIONS ? 'them' : 'it'} in the console</a></p>\n`
  return html.replace('</h1>\n', (end) => end + link)
}

function groupHtml({ title, entries }: Group, path: string, up: string): string {
  const current = (href: string) =>
    href === path ? ' aria-current="page"' : href === OPERATIONS && path.startsWith('operations/') ? ' aria-current="true"' : ''
  const item = ({ title: text, href }: Entry) => `<li><a href="${up}${href}"${current(href)}>${htmlText(text)}</a></li>`
  return `<section>\n<h2>${htmlText(title)}</h2>\n<ul>\n${entries.map(item).join('\n')}\n</ul>\n</section>`
}

function footer({ previous, next }: { readonly previous?: Entry | undefined; readonly next?: Entry | undefined }, up: string): string {
  const link = (entry: Entry | undefined, label: string) =>
    entry ? `<a class="${label.toLowerCase()}" href="${up}${entry.href}"><small>${label}</small> ${htmlText(entry.title)}</a>` : ''
  return previous || next ? `<nav class="beside" aria-label="Previous and next page">${link(previous, 'Previous')}${link(next, 'Next')}</nav>\n` : ''
}

/** The sections of a page that has several; not of one with so many that the list is no help. */
function onThisPage({ headings, path }: Page): string {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (path === 'index.html' || shown.length < 2 || shown.length > 40) return ''
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${htmlText(text)}</a></li>`)
  return `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>\n`
}
