import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../tests/support/browser.ts'
import { buildBefore } from './before.ts'
import { median, startService } from './processes.ts'
import type { Result } from './report.ts'

const LEADS = 200_000
const ROUNDS = 7
const ROW_PX = 40
const JUMP_MS = 2000
const FIRST_LOAD_KB = 200
const SCROLLING_MS = 4000

/** The last commit before tables had boards, panels and editing; another one with CRM_BENCH_BEFORE. */
const BEFORE = process.env.CRM_BENCH_BEFORE ?? '73e8bca6'

type Service = Awaited<ReturnType<typeof startService>>

/** The table of many leads: its first rows beside those of the version before, jumps, frames while scrolling, and what the page loads. */
export async function consoleRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-console-bench-'))
  const file = join(folder, 'leads.csv')
  writeFileSync(file, ['FirstName,LastName,Email,Status', ...Array.from({ length: LEADS }, (_, i) => `Ada,Lovelace ${i},ada${i}@example.com,Open`)].join('\n'))
  const build = buildBefore(folder, BEFORE)
  const [browser, before, now] = [await launchBrowser(), await seeded(join(folder, 'old'), file, build.path), await seeded(join(folder, 'new'), file, '.')]
  try {
    const rounds: { readonly ours: number; readonly other: number }[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push({ other: await firstRows(browser, before), ours: await firstRows(browser, now) })
    const [ours, other] = [median(rounds.map((one) => one.ours)), median(rounds.map((one) => one.other))]
    const page = await leadsPage(browser, now)
    const toMiddle = await jumped(page, `document.querySelector('.grid').scrollTop = ${LEADS / 2} * ${ROW_PX}`)
    const toEnd = await jumped(page, `document.querySelector('.grid').scrollTop = ${LEADS} * ${ROW_PX}`)
    const [scrolled, still] = [await framesOf(page, 30), await framesOf(await browser.newPage(), 0)]
    const kilobytes = await firstLoad(browser, now)
    return [
      {
        what: `First rows of ${LEADS.toLocaleString('en')} leads`,
        ours: `${ours.toFixed(0)} ms`,
        other: `before ${other.toFixed(0)} ms`,
        ratio: median(rounds.map((one) => one.ours / one.other)),
        atMost: 1.1,
      },
      { what: 'A jump to the middle', ours: `${toMiddle.toFixed(0)} ms`, other: `${JUMP_MS} ms`, ratio: toMiddle / JUMP_MS, atMost: 1 },
      { what: 'A jump to the end', ours: `${toEnd.toFixed(0)} ms`, other: `${JUMP_MS} ms`, ratio: toEnd / JUMP_MS, atMost: 1 },
      {
        what: 'Frames while scrolling',
        ours: `${scrolled.toFixed(0)}/s`,
        other: `an empty page ${still.toFixed(0)}/s`,
        ratio: scrolled / still,
        atLeast: 0.95,
      },
      {
        what: 'JavaScript of the first load, compressed',
        ours: `${kilobytes.toFixed(0)} kB`,
        other: `${FIRST_LOAD_KB} kB`,
        ratio: kilobytes / FIRST_LOAD_KB,
        atMost: 1,
      },
    ]
  } finally {
    await browser.close()
    await now.stop()
    await before.stop()
    build.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function seeded(folder: string, file: string, build: string): Promise<Service> {
  mkdirSync(folder)
  const platform = `sqlite:${join(folder, 'crm.db')}`
  execFileSync(process.execPath, [resolve(build, 'dist/main.js'), 'import', file, '--yes', '--platform', platform], { cwd: folder, stdio: 'ignore' })
  return startService(folder, {}, build)
}

async function newPage(browser: Browser, { key }: Service): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  await context.addInitScript(`sessionStorage.setItem('crm-connector-key', ${JSON.stringify(key)})`)
  return context.newPage()
}

/** Milliseconds until the first row is drawn, in a browser that has nothing in its cache. */
async function firstRows(browser: Browser, service: Service): Promise<number> {
  const page = await newPage(browser, service)
  const began = performance.now()
  await page.goto(`${service.url}/#/leads`)
  await page.locator('.grid-row a').first().waitFor()
  const took = performance.now() - began
  await page.context().close()
  return took
}

async function leadsPage(browser: Browser, service: Service): Promise<Page> {
  const page = await newPage(browser, service)
  await page.goto(`${service.url}/#/leads`)
  await page.getByText(`${LEADS.toLocaleString('en')} leads`).waitFor()
  return page
}

/** Milliseconds until every row in view is drawn after a jump. */
function jumped(page: Page, jump: string): Promise<number> {
  return page.evaluate(`(async () => {
    const began = performance.now()
    const grid = document.querySelector('.grid')
    ${jump}
    for (;;) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const view = grid.getBoundingClientRect()
      const rows = [...grid.querySelectorAll('.grid-row')].filter((row) => row.getBoundingClientRect().bottom > view.top + ${ROW_PX} && row.getBoundingClientRect().top < view.bottom)
      if (rows.length > 5 && rows.every((row) => row.querySelector('a'))) return performance.now() - began
    }
  })()`) as Promise<number>
}

/** Frames in a second, while the table is scrolled by so many pixels in each. */
function framesOf(page: Page, step: number): Promise<number> {
  return page.evaluate(`(async () => {
    const [began, grid] = [performance.now(), document.querySelector('.grid')]
    let frames = 0
    if (grid) grid.scrollTop = 0
    while (performance.now() - began < ${SCROLLING_MS}) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      if (grid) grid.scrollTop += ${step}
      frames++
    }
    return (1000 * frames) / (performance.now() - began)
  })()`) as Promise<number>
}

/** Kilobytes of the scripts that a page of records loads, each compressed. */
async function firstLoad(browser: Browser, service: Service): Promise<number> {
  const page = await newPage(browser, service)
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') sizes.push(response.body().then((body) => gzipSync(body).length))
  })
  await page.goto(`${service.url}/#/leads`)
  await page.getByText(`${LEADS.toLocaleString('en')} leads`).waitFor()
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000
}
