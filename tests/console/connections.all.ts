import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DEFAULT_WORKSPACE } from '../../src/core/access/bootstrap.ts'
import { showConfigured } from '../../src/core/connections/configured.ts'
import { recordSignIn } from '../../src/core/connections/state.ts'
import { connectingConsole, simulatorForFile } from '../support/connecting-console.ts'
import { openLive } from '../support/console.ts'

const crm = connectingConsole()
const hubspot = simulatorForFile(simulateHubSpot)
const espocrm = simulatorForFile(simulateEspoCrm)

type Stored = { readonly [field: string]: unknown }
const stored = async (Filters: object = {}) => ((await crm.server.call('get_many_connections', { Filters })).Records as Stored[])[0]
const platform = async () => (await crm.server.call('describe')).Platform
const connectEspoCrm = (more: object = {}) =>
  crm.server.call('create_connection', { Platform: 'espocrm', Address: espocrm.url, Secrets: { apiKey: 'simulator' }, InUse: false, ...more })

/** The button of a dialog. */
const press = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

test('an account is connected with a key that HubSpot accepts, tested, and used from then on', async () => {
  const page = await crm.open('#/connections')
  crm.refusals(page)
  await page.getByText('No CRM is connected').waitFor()
  await page.getByRole('button', { name: /^HubSpot/ }).click()
  await page.getByRole('button', { name: 'Enter secrets' }).click()
  const key = page.getByLabel('Service key')
  expect(await key.getAttribute('type')).toBe('password')
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).isDisabled()).toBe(true)
  await key.fill('a-key-that-is-wrong')
  await page.getByLabel('Label').fill('HubSpot of Acme')
  await page.getByText('Advanced').click()
  await page.getByLabel('Address').fill(hubspot.url)
  await page.getByRole('button', { name: 'Add option' }).click()
  await page.getByLabel('Name of option 1').fill('dealPipelin')
  await page.getByLabel('Value of option 1').fill('Sales')
  await press(page, 'Connect')
  await page.locator('.connect-options .field-wrong').getByRole('alert').getByText('dealPipeline').waitFor()

  await page.getByRole('button', { name: 'Remove option 1' }).click()
  await press(page, 'Connect')
  await page.getByRole('alert').getByText('HubSpot does not take the token').waitFor()
  expect(await stored()).toBeUndefined()

  await key.fill('simulator')
  await press(page, 'Connect')
  await page.getByRole('heading', { name: 'HubSpot of Acme' }).waitFor()
  const facts = page.locator('.connection-facts')
  expect(await facts.innerText()).toMatch(/Connected[\s\S]*In use[\s\S]*HubSpot[\s\S]*Service key[\s\S]*token/)
  expect(page.url()).not.toContain('simulator')
  expect(await page.locator('input').count()).toBe(0)
  expect(await stored()).toMatchObject({ State: 'connected', InUse: true, Label: 'HubSpot of Acme', SecretNames: ['token'] })
  expect(await platform()).toBe('hubspot')
  await page.locator('.sidebar-me').getByText('hubspot').waitFor()

  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('Everything works.').waitFor()
  await page.locator('.finding-good', { hasText: 'Sign-in' }).waitFor()

  await page.getByRole('button', { name: 'Stop using' }).click()
  await page.getByRole('dialog').getByText('stay there, and are not shown meanwhile').waitFor()
  await press(page, 'Stop using')
  await page.getByRole('button', { name: 'Use for this workspace' }).waitFor()
  expect(await platform()).toBe('sqlite')

  await page.getByRole('button', { name: 'Delete' }).click()
  await press(page, 'Delete')
  await page.getByText('No CRM is connected').waitFor()
  expect(await stored()).toBeUndefined()
  await page.close()
})

test('one that the CRM no longer lets in shows as broken at once, with why and what to do, and works again with other secrets', async () => {
  const page = await openLive(crm, '#/connections')
  crm.refusals(page)
  await page.getByText('No CRM is connected').waitFor()
  const { ConnectionID } = await connectEspoCrm({ Label: 'Espo' })
  const line = page.locator('.connection-line', { hasText: 'Espo' })
  await line.getByText('Connected', { exact: true }).waitFor()

  const [workspace] = await crm.server.service.store.workspaces()
  await recordSignIn(crm.server.service, workspace?.number ?? 0, String(ConnectionID), new Error('EspoCRM does not accept the API key.'))
  await line.getByText('Broken', { exact: true }).waitFor()
  await line.getByText('EspoCRM does not accept the API key.').waitFor()
  await line.getByText('Replace its secrets with ones that EspoCRM accepts.').waitFor()

  await line.getByRole('link', { name: 'Espo' }).click()
  await page.locator('.connection-notice').getByRole('button', { name: 'Replace secrets' }).click()
  await page.getByLabel('API key').fill('wrong')
  await press(page, 'Replace')
  await page.getByRole('dialog').getByRole('alert').first().waitFor()
  await page.getByLabel('Sign-in').selectOption('API key with HMAC')
  await page.getByLabel('API key').fill('simulator')
  await page.getByLabel('Secret key').fill('simulator')
  await press(page, 'Replace')
  await page.locator('.connection-facts').getByText('Connected', { exact: true }).first().waitFor()
  await page.locator('.connection-facts').getByText('API key with HMAC').waitFor()
  expect(await page.locator('.connection-notice').count()).toBe(0)
  expect(await stored({ ConnectionID })).toMatchObject({ State: 'connected', Reason: null, SecretNames: ['apiKey', 'secretKey'] })
  await page.close()
})

test('its label, address and options are changed, and a refused option is named', async () => {
  const { ConnectionID } = await connectEspoCrm({ Label: 'Before' })
  const page = await crm.open(`#/connections/${ConnectionID}`)
  crm.refusals(page)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Label').fill('After')
  await page.getByRole('button', { name: 'Add option' }).click()
  await page.getByLabel('Name of option 1').fill('duplicate')
  await page.getByLabel('Value of option 1').fill('refuse')
  await press(page, 'Save')
  await page.getByRole('dialog').getByRole('alert').getByText('duplicates').waitFor()
  await page.getByLabel('Name of option 1').fill('duplicates')
  await press(page, 'Save')
  await page.getByRole('heading', { name: 'After' }).waitFor()
  await page.getByText('duplicates = refuse').waitFor()
  expect(await stored({ ConnectionID })).toMatchObject({ Label: 'After', Options: { duplicates: 'refuse' } })
  await page.close()
})

test('what the configuration connects is shown, says so, and cannot be changed', async () => {
  const configured = {
    workspace: DEFAULT_WORKSPACE,
    platform: 'hubspot',
    address: null,
    account: '145000001',
    remark: null,
    mirrorUse: { watch: true, reads: 'mirror' } as const,
  }
  await showConfigured(crm.server.service, [DEFAULT_WORKSPACE], [configured])
  const page = await crm.open('#/connections')
  await page.getByRole('link', { name: 'From the configuration' }).click()
  await page.getByText('comes from the configuration file and the environment').waitFor()
  for (const name of ['Edit', 'Replace secrets', 'Delete', 'Stop using']) expect(await page.getByRole('button', { name }).count()).toBe(0)
  await showConfigured(crm.server.service, [DEFAULT_WORKSPACE], [])
  await page.close()
})
