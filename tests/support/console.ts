import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { launchBrowser } from './browser.ts'
import { startServer, type TestOptions, type TestServer } from './server.ts'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../dist/main.js')

export const SIZES = { desktop: { width: 1360, height: 860 }, phone: { width: 375, height: 812 } } as const

export interface HowToOpen {
  /** The admin's unless given; null to be signed out. */
  readonly key?: string | null
  readonly theme?: 'light' | 'dark'
  readonly size?: keyof typeof SIZES
  /** The language of the browser. */
  readonly locale?: string
}

export interface TestConsole {
  readonly server: TestServer
  /** A page of the console, such as `#/leads`, in a new browser context. Its errors are checked at the end of the test. */
  open(hash: string, how?: HowToOpen): Promise<Page>
}

/**
 * The console of a real service in a real browser, for the tests of a file. With `demo` the store has the data of `crm demo`.
 * Errors on a page fail the test unless the test expects them.
 */
export function consoleForFile({ demo, ...options }: TestOptions & { readonly demo?: number } = {}): TestConsole & {
  /** Expects a refusal by the service, which browsers log as an error. */
  refusals(page: Page): void
} {
  let server: TestServer
  let browser: Browser
  let folder: string
  const complaints = new Map<Page, string[]>()
  const refused = new WeakSet<Page>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crm-console-'))
    ;[server, browser] = await Promise.all([demo === undefined ? startServer(options) : withStory(join(folder, 'crm.db'), demo, options), launchBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await rm(folder, { recursive: true, force: true })
    for (const messages of complaints.values()) expect(messages).toEqual([])
  })

  return {
    get server() {
      return server
    },
    refusals: (page) => void refused.add(page),
    async open(hash, { key = server.key, theme = 'light', size = 'desktop', locale = 'en-US' } = {}) {
      const context = await browser.newContext({ viewport: SIZES[size], colorScheme: theme, locale, acceptDownloads: true, reducedMotion: 'reduce' })
      // Pages are slow on a loaded machine; the timeout only ends tests that hang.
      context.setDefaultTimeout(120_000)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
      if (key !== null) await context.addInitScript(`sessionStorage.setItem('crm-connector-key', ${JSON.stringify(key)})`)
      const page = await context.newPage()
      const messages: string[] = []
      complaints.set(page, messages)
      page.on('console', (message) => {
        if (message.type() === 'error' && !(refused.has(page) && message.text().startsWith('Failed to load resource'))) messages.push(message.text())
      })
      page.on('pageerror', (error) => messages.push(error.message))
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${server.url}/`)) messages.push(`asked for ${request.url()}`)
      })
      await page.goto(`${server.url}/${hash}`)
      return page
    },
  }
}

/** Opens a page of the console that hears of everything that happens from then on. */
export async function openLive({ open }: Pick<TestConsole, 'open'>, hash: string): Promise<Page> {
  const page = await open('#/events')
  await page.locator('.live-mark').waitFor()
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  return page
}

/** A server on a store with demo data. */
async function withStory(file: string, size: number, options: TestOptions): Promise<TestServer> {
  const where = ['--platform', `sqlite:${file}`]
  await run(process.execPath, [main, 'demo', '--size', String(size), ...where])
  const { stdout } = await run(process.execPath, [main, 'create_key', '--Scopes', 'read,write,delete,admin', ...where])
  const { Key } = JSON.parse(stdout) as { Key: string }
  return startServer({ ...options, open: () => openSqlite(file), key: Key })
}
