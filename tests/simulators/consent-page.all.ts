import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
}, 60_000)
afterAll(() => browser.close())

const CRMS = [
  ['Salesforce', simulateSalesforce, '/services/oauth2/authorize', 'api refresh_token'],
  ['HubSpot', simulateHubSpot, '/oauth/authorize', 'oauth tickets'],
] as const

test.each(CRMS)('a person lets an app in to the simulated %s, or does not', async (_, simulate, path, scope) => {
  const simulator = await startSimulator(simulate)
  onTestFinished(() => simulator.close())
  const app = createServer((_request, response) => response.end('back'))
  await new Promise<void>((listening) => app.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void app.close())
  const redirect_uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
  const query = new URLSearchParams({ response_type: 'code', client_id: 'simulator', redirect_uri, scope, state: 'a state' })

  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.goto(`${simulator.url}${path}?${query}`)
  expect(await page.getByRole('listitem').allTextContents()).toEqual(scope.split(' '))
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('back').waitFor()
  expect(page.url().startsWith(`${redirect_uri}?code=`)).toBe(true)
  expect(new URL(page.url()).searchParams.get('state')).toBe('a state')

  await page.goto(`${simulator.url}${path}?${query}`)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('back').waitFor()
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
})
