import { simulateSalesforce } from 'crm-simulators/salesforce'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { connectingConsole, simulatorForFile } from '../support/connecting-console.ts'

const crm = connectingConsole()
const salesforce = simulatorForFile(simulateSalesforce)
/** That of the owner of the account. */
let owner: Browser
beforeAll(async () => {
  owner = await launchBrowser()
})
afterAll(() => owner.close())

async function connect(label: string) {
  const page = await crm.open('#/connections')
  await page.getByRole('button', { name: /^Salesforce|^Connect a CRM/ }).click()
  if ((await page.getByLabel('Client id').count()) === 0)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Salesforce/ })
      .click()
  await page.getByText('The app must have the redirect address').getByText(`${crm.server.url}/connect/callback`).waitFor()
  await page.getByLabel('Address').fill(salesforce.url)
  await page.getByLabel('Client id').fill('simulator')
  await page.getByLabel('Client secret').fill('simulator')
  await page.getByLabel('Label').fill(label)
  return page
}

/** Opens a link in the browser of the owner, who allows it. */
async function allow(link: string): Promise<void> {
  const page = await owner.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Continue to Salesforce' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Connected' }).waitFor()
  await page.close()
}

test('a link is sent to the owner of the account, who allows it in a browser of their own, and again after the CRM has ended access', async () => {
  const page = await connect('Sent')
  await page.getByRole('radio', { name: /^Send a link/ }).check()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('It works once, and expires').waitFor()
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  expect(link).toContain(`${crm.server.url}/connect/`)
  await Promise.all([page.getByText('Copied').waitFor(), page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()])
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(link)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Sent' }).waitFor()
  await page.locator('.connection-notice').getByText('Allow it in the browser').waitFor()

  await allow(link)
  const badge = (text: string) => page.locator('.connection-badges').getByText(text, { exact: true })
  await badge('Connected').waitFor()
  expect(await page.locator('.connection-notice').count()).toBe(0)
  expect(await page.content()).not.toContain(link)
  const again = await owner.newPage()
  await again.goto(link)
  await again.getByText('was used already').waitFor()
  await again.close()

  await fetch(`${salesforce.url}/simulator/tokens`, { method: 'DELETE' })
  expect((await crm.server.post('get_many_leads')).status).toBe(503)
  await badge('Broken').waitFor()
  await page.locator('.connection-notice').getByRole('button', { name: 'Connect again' }).waitFor()
  await page.getByRole('button', { name: 'Send a link' }).click()
  await allow(await page.getByLabel('Link', { exact: true }).inputValue())
  await badge('Connected').waitFor()
  expect((await crm.server.post('get_many_leads')).status).toBe(200)
  await page.close()
})

test('the admin is taken to the CRM in the same tab, and the form keeps no secret', async () => {
  const page = await connect('Mine')
  await page.getByRole('button', { name: 'Continue to Salesforce' }).click()
  await page.waitForURL(`${crm.server.url}/connect/*`)
  expect(await page.locator('main').innerText()).toContain('asks to be let into your Salesforce account')
  await page.goBack()
  await page.getByRole('link', { name: 'Mine' }).click()
  await page.getByRole('heading', { name: 'Mine' }).waitFor()
  expect(await page.locator('input').count()).toBe(0)
  await page.locator('.connection-notice').getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('button', { name: 'Continue to Salesforce' }).waitFor()
  await page.close()
})
