import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ERROR_CODES } from '../../src/contract/errors.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { launchBrowser } from '../support/browser.ts'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startServer, type TestServer } from '../support/server.ts'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

let server: TestServer
let browser: Browser
beforeAll(async () => {
  server = await startServer()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

interface HowToOpen {
  readonly base?: string
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly javaScriptEnabled?: boolean
}

/** A page that notes what it asks for and what it complains about. */
async function open(path: string, { base = server.url, width = 1440, ...how }: HowToOpen = {}): Promise<{ page: Page; asked: string[]; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, ...how })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  onTestFinished(() => context.close())
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${base}${path}`)
  return { page, asked, complaints }
}

/** What axe finds against WCAG 2.2, levels A and AA. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => violations)`,
  )
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** Names in tables of which a part between `_`, `.` and `/` stands on two lines. Browsers also break after `-` and `?`. */
const brokenNames = (page: Page) =>
  page.locator('td code').evaluateAll((all) => {
    const isBroken = (part: Node) => {
      const range = document.createRange()
      range.selectNodeContents(part)
      return (
        !/[\s?-]/.test(part.textContent ?? '') &&
        new Set([...range.getClientRects()].flatMap(({ top, width }) => (width > 0 ? [Math.round(top)] : []))).size > 1
      )
    }
    return all.filter((code) => [...code.childNodes].some((part) => part.nodeType === Node.TEXT_NODE && isBroken(part))).map(({ textContent }) => textContent)
  })

describe('/docs', () => {
  test('is the index, and asks nothing of anyone else', async () => {
    const { page, asked, complaints } = await open('/docs')
    expect(page.url()).toBe(`${server.url}/docs/`)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Documentation')
    const groups = page.getByRole('navigation', { name: 'Documentation' }).getByRole('heading')
    expect(await groups.allTextContents()).toEqual(['Begin', 'Build', 'Connect a CRM', 'Operate', 'Contribute'])
    expect(asked.filter((url) => !url.startsWith(server.url))).toEqual([])
    expect(complaints).toEqual([])
  })

  test('has the console as its reference, and is one way from it and back', async () => {
    const { page, complaints } = await open('/')
    await page.getByLabel('Key', { exact: true }).fill(server.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Documentation' }).click()
    await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Operations' }).click()
    // With the key that was given: it is the same tab.
    await page.waitForURL(`${server.url}/#/operations`)
    await page.getByRole('heading', { name: 'Operations', level: 1 }).waitFor()
    await page.goBack()
    await page.goto(`${server.url}/docs/operations/create_a_lead`)
    await page.getByRole('link', { name: 'Try it in the console' }).click()
    await page.getByRole('heading', { name: 'Create A Lead', level: 1 }).waitFor()
    expect(page.url()).toBe(`${server.url}/#/operations/create_a_lead`)
    await page.goto(`${server.url}/docs/import-export`)
    await page.getByRole('link', { name: 'Console', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  test('has every operation to be read signed out, and leads to its form', async () => {
    const { page, complaints } = await open('/docs')
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Operations' }).click()
    await page.getByRole('link', { name: 'Create A Lead', exact: true }).click()
    await page.waitForURL(`${server.url}/docs/operations/create_a_lead.html`)
    await page.getByRole('heading', { name: 'Create A Lead', level: 1 }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Documentation' }).locator('[aria-current]').innerText()).toBe('Operations')
    await page.getByRole('link', { name: 'Try it in the console' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Key', { exact: true }).fill(server.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Create A Lead', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  test('finds pages, sections and operations, by the keyboard alone', async () => {
    const { page, complaints } = await open('/docs/platforms/hubspot')
    await page.keyboard.press('/')
    await page.keyboard.type('where commands go')
    await page
      .getByRole('status')
      .filter({ hasText: /\d+ results?/ })
      .waitFor()
    expect(await page.locator('.found a strong').first().innerText()).toBe('Where commands go')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${server.url}/docs/cli.html#where-commands-go`)
    await page.keyboard.press('/')
    await page.keyboard.type('create_a_lead')
    await page.locator('.found a[href$="/docs/operations/create_a_lead.html"]').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('.found').isHidden()).toBe(true)
    expect(complaints).toEqual([])
  })

  test('copies code, and has the theme of the console', async () => {
    const { page } = await open('/docs/cli')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
    const block = page.locator('.code').first()
    await block.hover()
    await block.getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('code').innerText())
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await page.evaluate("localStorage.setItem('crm-connector-theme', 'dark')")
    await page.reload()
    expect(await ground()).not.toBe(light)
    await page.getByRole('button', { name: 'Theme: Dark' }).click()
    expect(await ground()).toBe(light)
  })

  test('works without JavaScript, but for the search, and is dark where the device is', async () => {
    const { page } = await open('/docs/', { javaScriptEnabled: false, colorScheme: 'dark' })
    expect(await page.getByRole('search').count()).toBe(0)
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'The command line' }).click()
    await page.waitForURL(`${server.url}/docs/cli.html`)
    const light = await open('/docs/cli', { javaScriptEnabled: false, colorScheme: 'light' })
    const ground = (one: Page) => one.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
    expect(await ground(page)).not.toBe(await ground(light.page))
  })
})

const PAGES = readdirSync(join(import.meta.dirname, '../../docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('operations/'))
  .map((name) => `/docs/${name.replace('README.md', '').replace('.md', '.html')}`)

describe.each([
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'light', width: 1024 },
  { colorScheme: 'dark', width: 390 },
] as const)('in $colorScheme, $width px wide', (how) => {
  test('every page is accessible, fits, and complains of nothing', async () => {
    const { page, complaints } = await open('/docs/', how)
    for (const path of [...PAGES, '/docs/operations/', '/docs/operations/create_a_lead.html']) {
      await page.goto(`${server.url}${path}`)
      expect(await violations(page), path).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
      expect(await brokenNames(page), path).toEqual([])
    }
    expect(complaints).toEqual([])
  })
})

describe('/docs/errors', () => {
  test('explains every code at the place a problem points to', async () => {
    const { page, complaints } = await open('/docs/errors#conflict')
    expect(await page.locator('tbody tr').count()).toBe(ERROR_CODES.length)
    for (const code of ERROR_CODES) expect(await page.locator(`#${code}`).innerText()).toContain(code)
    expect(await page.evaluate("document.querySelector(':target').id")).toBe('conflict')
    expect(complaints).toEqual([])
  })
})

describe('addresses', () => {
  test.each([
    ['/docs/site.css', 'text/css; charset=utf-8'],
    ['/docs/site.js', 'text/javascript; charset=utf-8'],
    ['/docs/theme.js', 'text/javascript; charset=utf-8'],
    ['/docs/page.css', 'text/css; charset=utf-8'],
    ['/docs/search.js', 'text/javascript; charset=utf-8'],
    ['/docs/images/overview.png', 'image/png'],
    ['/docs/icon.svg', 'image/svg+xml'],
  ])('%s is served as what it is, once', async (path, type) => {
    const first = await fetch(server.url + path)
    expect([first.status, first.headers.get('content-type')]).toEqual([200, type])
    const plain = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } })
    const bytes = Buffer.from(await plain.arrayBuffer())
    expect(bytes.equals(Buffer.from(await first.arrayBuffer()))).toBe(true)
    // What is small, or compressed already, is sent as it is.
    expect(first.headers.get('content-encoding')).toBe(path.endsWith('png') || bytes.length < 1024 ? null : 'gzip')
    expect((await fetch(server.url + path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })).status).toBe(304)
  })

  test.each(['/docs/none', '/docs/../package.json', '/docs/%2e%2e/main.js', '/docs/..%2fmain.js', '/docs/images', '/docs/cli/'])(
    '%s is not there',
    async (path) => {
      expect((await fetch(server.url + path)).status).toBe(404)
    },
  )

  test.each(['/docs/nope', '/docs/platforms/nope', '/docs/a/b/c/?d', '/docs/404'])(
    '%s shows a browser a page of the site, with search and a way home',
    async (path) => {
      const { page, complaints } = await open(path)
      await page.getByRole('heading', { name: 'There is no page here', level: 1 }).waitFor()
      expect(complaints).toEqual([expect.stringContaining('404')])
      expect(await violations(page)).toEqual([])
      await page.keyboard.press('/')
      await page.keyboard.type('where commands go')
      await page.locator('.found a').first().click()
      await page.waitForURL(`${server.url}/docs/cli.html#where-commands-go`)
      await page.goBack()
      await page.getByRole('link', { name: 'list of all pages' }).click()
      await page.waitForURL(`${server.url}/docs/index.html`)
      expect((await fetch(server.url + path, { headers: { accept: 'text/html,*/*;q=0.8' } })).status).toBe(404)
      expect((await fetch(server.url + path)).headers.get('content-type')).toContain('json')
    },
  )

  test('of a folder leads to its index', async () => {
    expect((await fetch(`${server.url}/docs/contributing`)).url).toBe(`${server.url}/docs/contributing/`)
  })
})

describe('crm docs', () => {
  test('writes the site as files that work on any web server, with the operations as pages', async () => {
    const cwd = await temporaryFolder()
    const { code, out } = await crm(['docs', '--out', 'site'], { cwd })
    expect({ code, Folder: (JSON.parse(out) as { Folder: string }).Folder }).toEqual({ code: 0, Folder: 'site' })
    for (const { id } of OPERATIONS) expect(existsSync(join(cwd, 'site/operations', `${id}.html`)), id).toBe(true)
    const base = await plainServer(join(cwd, 'site'))
    const { page, complaints } = await open('/below/index.html', { base })
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Operations' }).click()
    await page.getByRole('link', { name: 'Create A Lead' }).click()
    await page.getByRole('heading', { name: 'Create A Lead', level: 1 }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('dry run')
    await page.locator('.found a').first().click()
    await page.waitForURL(/\/below\/.*\.html/)
    expect(await page.getByRole('link', { name: 'Console', exact: true }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('with an address links to the console there', async () => {
    const cwd = await temporaryFolder()
    await crm(['docs', '--out', 'site', '--console', 'https://crm.example.com/'], { cwd })
    const page = await readFile(join(cwd, 'site/operations/create_a_lead.html'), 'utf8')
    expect(page).toContain('<a class="to-console" href="https://crm.example.com/#/">')
    expect(page).toContain('<a href="https://crm.example.com/#/operations/create_a_lead">Try it in the console</a>')
  })

  test('writes a site that is searched from a disk, too, and that says so where its search is not there', async () => {
    const cwd = await temporaryFolder()
    await crm(['docs', '--out', 'site'], { cwd })
    const base = `file://${join(cwd, 'site')}`
    const { page, complaints } = await open('/operations/create_a_lead.html', { base })
    expect(await page.getByRole('link', { name: 'in the console' }).count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.type('where commands go')
    await page.locator('.found a').first().click()
    await page.waitForURL(`${base}/cli.html#where-commands-go`)
    expect(complaints).toEqual([])

    await rm(join(cwd, 'site/search.js'))
    await page.reload()
    await page.keyboard.press('/')
    await page.keyboard.type('where')
    await page.getByText('The search could not be loaded.').waitFor()
    expect(complaints).toEqual([expect.stringContaining('ERR_FILE_NOT_FOUND')])
  })
})

/** Any web server, with the files below a path. */
async function plainServer(folder: string): Promise<string> {
  const types: { readonly [ending: string]: string } = {
    html: 'text/html',
    css: 'text/css',
    js: 'text/javascript',
    svg: 'image/svg+xml',
    json: 'application/json',
  }
  const files = createServer(({ url = '' }, response) => {
    const path = join(folder, new URL(url, 'http://x').pathname.replace('/below/', ''))
    response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
    createReadStream(path)
      .on('error', () => response.writeHead(404).end())
      .pipe(response)
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void files.close())
  return `http://127.0.0.1:${(files.address() as AddressInfo).port}`
}
