import { startSimulator } from 'crm-simulators'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openCrms } from '../../../../src/app/open-crms.ts'
import { type CrmAddress, crmAddress } from '../../../../src/config/crm-address.ts'
import { readCrmSettings } from '../../../../src/config/crm-settings.ts'
import { refuseSharedAccounts } from '../../../../src/config/shared-accounts.ts'
import type { Fault } from '../../../../src/contract/errors.ts'
import { HUBSPOT } from '../../../support/crms/hubspot.ts'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'

function faultsOf(platform: string, other: string): Fault[] {
  const faults: Fault[] = []
  refuseSharedAccounts(platform, { other: { platform: other } }, faults)
  return faults
}

describe('two workspaces on one account', () => {
  test.for([
    ['hubspot:', 'HubSpot:'],
    ['salesforce:https://acme.my.salesforce.com', 'salesforce:https://ACME.my.salesforce.com/'],
    ['salesforce:https://acme.my.salesforce.com', 'salesforce:https://acme.my.salesforce.com.:443'],
    ['espocrm:https://crm.example.com/espo', 'espocrm:http://crm.example.com/espo/api/v1/'],
  ])('are a fault: %s, %s', ([platform = '', other = '']) => {
    expect(faultsOf(platform, other)).toMatchObject([
      { field: 'crm.config.json: workspaces.other.platform', code: 'value', message: expect.stringMatching(/default and other are the same account/) },
    ])
  })

  test.for([
    ['sqlite:a.db', 'sqlite:a.db'],
    ['espocrm:https://crm.example.com', 'espocrm:https://crm.example.com/other'],
    ['hubspot:', 'hubspot:https://api.hubapi.com'],
  ])('are none where they may be two, or are a store: %s, %s', ([platform = '', other = '']) => {
    expect(faultsOf(platform, other)).toEqual([])
  })

  test('are refused where the CRM itself says that they are one', async () => {
    const simulator = await startSimulator(SALESFORCE.simulate)
    onTestFinished(() => simulator.close())
    const urls = [simulator.url, simulator.url.replace('127.0.0.1', 'localhost')].map((url) => `salesforce:${url}`)
    const faults: Fault[] = []
    const addresses = urls.map((url) => crmAddress(url) as CrmAddress)
    const environment = { CRM_SALESFORCE_CLIENT_ID: 'simulator', CRM_SALESFORCE_CLIENT_SECRET: 'simulator' }
    const { crms } = readCrmSettings({ salesforce: { options: { loginUrl: simulator.url } } }, addresses, environment, faults)
    expect(faults).toEqual([])
    const [first, second] = [...(await openCrms(Object.entries(crms))).values()]
    const opened = await first?.()
    onTestFinished(() => opened?.close())
    await expect(second?.()).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining('are the same account of a CRM') })
  })
})

test('an account of hubspot is known by its portal', async () => {
  const simulator = await startSimulator(HUBSPOT.simulate)
  onTestFinished(() => simulator.close())
  const options = HUBSPOT.options ?? {}
  const driver = await HUBSPOT.kind.open({
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options },
    secrets: { token: 'simulator' },
    tables: HUBSPOT.kind.tables(options),
    retry: (attempt) => attempt(),
  })
  onTestFinished(() => driver.close())
  expect(driver.account).toMatch(new RegExp(`^${simulator.url} \\d+$`))
})
