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
  /** The admin's unless given; null for nobody. */
  readonly key?: string | null
  readonly theme?: 'light' | 'dark'
  readonly size?: keyof typeof SIZES
}

export interface TestConsole {
  readonly server: TestServer
  /** A page of the console in a browser of its own, as `#/leads`. Its complaints are looked at when all is over. */
  open(hash: string, how?: HowToOpen): Promise<Page>
}

/**
 * The console of a real service in a real browser, for the tests of a file. With `demo` the store has the story of `crm demo`
 * in it. Whatever a page complains about fails the test, unless the test says that it is expected.
 */
export function consoleForFile({ demo, ...options }: TestOptions & { readonly demo?: number } = {}): TestConsole & {
  /** Says that the service will refuse something, which browsers complain about. */
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
    async open(hash, { key = server.key, theme = 'light', size = 'desktop' } = {}) {
      const context = await browser.newContext({ viewport: SIZES[size], colorScheme: theme, acceptDownloads: true, reducedMotion: 'reduce' })
      // On a loaded machine a page may take long; the limit is there to end what hangs.
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

/** A server on a store with a story in it. */
async function withStory(file: string, size: number, options: TestOptions): Promise<TestServer> {
  const where = ['--platform', `sqlite:${file}`]
  await run(process.execPath, [main, 'demo', '--size', String(size), ...where])
  const { stdout } = await run(process.execPath, [main, 'create_key', '--Scopes', 'read,write,delete,admin', ...where])
  const { Key } = JSON.parse(stdout) as { Key: string }
  return startServer({ ...options, open: () => openSqlite(file), key: Key })
}
