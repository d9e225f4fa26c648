import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

const about = (page: Page) => page.locator('.records-about')

/** A zone in which it is not the same day as in UTC, and midnight is hours away. */
const zone = () => (new Date().getUTCHours() < 10 ? 'Etc/GMT+12' : 'Pacific/Kiritimati')

async function openThere(hash: string): Promise<Page> {
  const page = await crm.open('#/cases')
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTimezoneOverride', { timezoneId: zone() })
  await page.goto(`${crm.server.url}/${hash}`)
  return page
}

async function filter(page: Page, condition: string, values: { readonly [label: string]: string } = {}): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Filter' })
  await panel.getByLabel('Field').selectOption({ label: 'Created' })
  await panel.getByLabel('Condition').selectOption({ label: condition })
  for (const [label, value] of Object.entries(values)) await panel.getByLabel(label).fill(value)
  await panel.getByRole('button', { name: 'Apply' }).click()
}

beforeAll(async () => {
  for (const LastName of ['One', 'Two', 'Three']) await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName })
})

test('records are found by the day of the person, not by the millisecond', async () => {
  const page = await openThere('#/leads')
  const day = (days: number) => page.evaluate<string>(`new Date(Date.now() + ${days} * 86400000).toLocaleDateString('sv')`)
  await about(page).getByText('3 leads').waitFor()
  const today = await day(0)
  await filter(page, 'is on', { Value: today })
  await about(page).getByText('3 leads match').waitFor()
  expect(decodeURIComponent(page.url())).toContain(`{"CreatedDate":"${today}"}`)
  await page.getByRole('button', { name: /Remove the filter: Created is on/ }).click()

  for (const [condition, values, says] of [
    ['is on', { Value: await day(-1) }, '0 leads match'],
    ['is between', { From: await day(-2), To: today }, '3 leads match'],
    ['is between', { From: await day(-9), To: await day(-1) }, '0 leads match'],
    ['is today', {}, '3 leads match'],
    ['is yesterday', {}, '0 leads match'],
    ['is in the last 30 days', {}, '3 leads match'],
    ['is last month', {}, '0 leads match'],
  ] as const) {
    await about(page).getByText('3 leads', { exact: true }).waitFor()
    await filter(page, condition, values)
    await about(page).getByText(says).waitFor()
    await page.getByRole('button', { name: new RegExp(`Remove the filter: Created ${condition}`) }).click()
  }
  await page.close()
})

test('a period is edited where it is, and combines with a search', async () => {
  const page = await openThere(`#/leads?where=${encodeURIComponent('{"CreatedDate":{"within":"today"}}')}`)
  await about(page).getByText('3 leads match').waitFor()
  await page.getByLabel('Search leads').fill('Two')
  await about(page).getByText('1 lead matches in Last name').waitFor()
  await page.getByRole('button', { name: 'Created is today', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Edit the filter: Created is today' })
  expect(await panel.getByLabel('Condition').inputValue()).toBe('within:today')
  await panel.getByLabel('Condition').selectOption({ label: 'is between' })
  await panel.getByLabel('From').fill('2030-01-02')
  await panel.getByLabel('To').fill('2030-01-01')
  await panel.getByRole('button', { name: 'Apply' }).click()
  await panel.getByText('Must not be before From.').waitFor()
  await panel.getByLabel('To').fill('2030-01-03')
  await panel.getByRole('button', { name: 'Apply' }).click()
  await page.locator('.filter-chip', { hasText: 'Created is between Jan 2, 2030 and Jan 3, 2030' }).waitFor()
  await page.close()
})

test('numbers and dates are those of the browser, and the words English', async () => {
  const { OpportunityID } = await crm.server.call('create_opportunity', {
    OpportunityName: 'Engine',
    Stage: 'Prospecting',
    CloseDate: '2026-12-31',
    Amount: 1500.5,
  })
  const page = await crm.open('#/changes', { locale: 'de-DE' })
  crm.refusals(page)
  const time = page.locator('time').first()
  await expect.poll(() => time.innerText()).toMatch(/^(now|\d+ (second|minute)s? ago)$/)
  expect(await time.getAttribute('title')).toMatch(/^\d\d\.\d\d\.\d{4}, \d\d:\d\d$/)
  expect(await page.locator('.changes-day h2').first().innerText()).toMatch(/^[A-Z][a-z]+day, \d{1,2}\. \S+ \d{4}$/)
  await page.goto(`${crm.server.url}/#/opportunities/${OpportunityID}`)
  await page.locator('.record-fields').getByText('1.500,50').waitFor()
  await page.getByRole('button', { name: 'Edit Amount' }).click()
  await page.getByLabel('Amount', { exact: true }).fill('1.500')
  await page.keyboard.press('Enter')
  await page.getByText('Amount must be a number. Type it like 1500,50: 1.500 can be read in two ways.').waitFor()
  await page.close()
})
