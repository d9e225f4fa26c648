import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleForFile, type HowToOpen } from '../support/console.ts'
import { deadLetters } from '../support/in-process.ts'

const crm = consoleForFile({ demo: 60 })
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Every page, by its address; the record pages by a record of the story. */
const PAGES: { readonly [name: string]: () => Promise<string> | string } = {
  overview: () => '#/',
  leads: () => '#/leads',
  'a lead': async () => `#/leads/${await newest('get_many_leads', 'LeadID')}`,
  opportunities: () => '#/opportunities',
  'an opportunity': async () => `#/opportunities/${await newest('get_many_opportunities', 'OpportunityID')}`,
  'an opportunity beside the table': async () => `#/opportunities?record=${await newest('get_many_opportunities', 'OpportunityID')}`,
  companies: () => '#/companies',
  'a company': async () => `#/companies/${await newest('get_many_companies', 'CompanyID')}`,
  contacts: () => '#/contacts',
  'a contact': async () => `#/contacts/${await newest('get_many_contacts', 'ContactID')}`,
  cases: () => '#/cases',
  'a case': async () => `#/cases/${await newest('get_many_cases', 'CaseID')}`,
  campaigns: () => '#/campaigns',
  'custom objects': () => '#/objects',
  'a custom object': async () => `#/objects/${await newest('get_many_custom_objects', 'ObjectName')}`,
  changes: () => '#/changes',
  events: () => '#/events',
  approvals: () => '#/plans',
  operations: () => '#/operations',
  'an operation': () => '#/operations/get_many_opportunities',
  fields: () => '#/fields',
  connections: () => '#/connections',
  webhooks: () => '#/webhooks',
  'a webhook whose deliveries fail': failingWebhook,
  keys: () => '#/keys',
  'connected agents': () => '#/agents',
  users: () => '#/users',
}

/** One with a dead letter, and an open attempt in its log. */
async function failingWebhook(): Promise<string> {
  const { WebhookID } = await crm.server.call('create_webhook', { URL: 'https://crm.example.invalid/hooks/of-a-long-name', EventTypes: ['plan.refused'] })
  await deadLetters(crm.server.service.store)(WebhookID as string)
  return `#/webhooks/${WebhookID}`
}

/** A phone, a small and a large screen. */
const WIDTHS = [375, 1024, 1440]

const HOWS: readonly (HowToOpen & { readonly name: string })[] = [
  { name: 'light, desktop', theme: 'light', size: 'desktop' },
  { name: 'dark, phone', theme: 'dark', size: 'phone' },
]

async function newest(operation: string, member: string): Promise<unknown> {
  const { Records } = (await crm.server.call(operation, { Limit: 1 })) as { Records: { [member: string]: unknown }[] }
  return Records[0]?.[member]
}

/** Until the page is there and nothing on it is still being asked for. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await expect.poll(() => page.locator('.skeleton, .spinner, [aria-busy="true"]').count()).toBe(0)
}

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Some that axe does not count among those by itself. */
const RULES = ['label-content-name-mismatch', 'heading-order', 'empty-table-header']

/** What axe finds against WCAG 2.2, levels A and AA. */
async function violations(page: Page): Promise<string[]> {
  // The policy of the page forbids scripts that are not its own; the browser itself may still run them.
  await page.evaluate(await readFile(axe, 'utf8'))
  const { violations: found } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      rules: ${JSON.stringify(Object.fromEntries(RULES.map((id) => [id, { enabled: true }])))},
    })`,
  )
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)}\n${failureSummary}`))
}

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  test.each(Object.keys(PAGES))('%s is accessible, and fits', async (name) => {
    const page = await crm.open(await (PAGES[name]?.() ?? ''), { theme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 860 })
      await settled(page)
      expect(await violations(page), `${width} px`).toEqual([])
      expect(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth && document.querySelector("main").scrollWidth <= innerWidth'),
        `${width} px`,
      ).toBe(true)
    }
    await page.close()
  })
})

test.each(HOWS)('what opens over a page is accessible: $name', async (how) => {
  const page = await crm.open('#/leads', how)
  await settled(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.evaluate("location.hash = '#/keys'")
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await violations(page)).toEqual([])
  await page.close()
})

test('in a usual window every page is in sight in the menu, and filters end where the cards do', async () => {
  const page = await crm.open('#/')
  await settled(page)
  const edge = (selector: string, side: 'right' | 'bottom') =>
    page.evaluate<number>(`Math.round([...document.querySelectorAll(${JSON.stringify(selector)})].at(-1).getBoundingClientRect().${side})`)
  expect(await edge('.page-link', 'bottom')).toBeLessThanOrEqual(await edge('.sidebar-pages', 'bottom'))
  expect(await edge('.overview-filters select', 'right')).toBe(await edge('.overview-grid', 'right'))
  await page.close()
})

test('a record that is not there leads to those that are', async () => {
  const page = await crm.open('#/leads/nothing')
  crm.refusals(page)
  await page.getByRole('link', { name: 'Show all leads' }).click()
  await page.getByRole('grid', { name: 'Leads' }).waitFor()
  await page.close()
})

test('the state of a selected row stands out from it', async () => {
  const page = await crm.open(`#/leads?where=${encodeURIComponent('{"Status":"Open"}')}`)
  const row = page.locator('.grid-row:has(.badge-accent)').first()
  await row.getByRole('checkbox').check()
  const background = (one: typeof row) => one.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor)
  expect(await background(row.locator('.badge'))).not.toBe(await background(row))
  await page.close()
})

test('the scopes of a new key are all in sight in fonts of any width', async () => {
  const page = await crm.open('#/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const table = page.getByRole('region', { name: 'Scopes by record type' })
  await table.evaluate((one) => {
    one.style.letterSpacing = '0.05em'
  })
  expect(await table.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  await page.close()
})

test('the first page loads under 200 kB of script', async () => {
  const page = await crm.open('#/')
  await settled(page)
  await page.locator('canvas').first().waitFor()
  const scripts = await page.evaluate<number[]>(
    "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map((one) => one.encodedBodySize)",
  )
  expect(scripts.length).toBeGreaterThan(1)
  expect(scripts.reduce((a, b) => a + b)).toBeLessThan(200_000)
})

test('nothing jumps while the overview fills', async () => {
  const page = await crm.open('#/operations')
  await settled(page)
  await page.evaluate(`{
    window.shifts = 0
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value }).observe({ type: 'layout-shift', buffered: true })
  }`)
  await page.evaluate("location.hash = '#/'")
  await settled(page)
  await page.locator('canvas').first().waitFor()
  // What Google's web vitals call good.
  expect(await page.evaluate('window.shifts')).toBeLessThan(0.1)
})
