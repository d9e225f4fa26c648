import { expect, onTestFinished, test } from 'vitest'
import type { Table, Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { examine } from '../../../../src/platforms/crms/hubspot/examination.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import { ADA, all, good, startAccount } from './open-account.ts'

const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', OwnerID: 'nobody' }

/** Every kind of request that is sent, and the paths of them. */
async function pathsOf(options: { readonly [name: string]: string }): Promise<string[]> {
  const { opening, sent } = await startAccount({ options, tables: hubspotTables })
  for await (const { name, good: found } of examine(opening)) expect([name, found]).toEqual([name, true])
  const driver = await hubspot.open(opening)
  onTestFinished(() => driver.close())
  const [lead] = good(await driver.create('Lead', [ADA])) as { LeadID: string }[]
  const [deal] = good(await driver.create('Opportunity', [DEAL])) as { OpportunityID: string }[]
  const LeadID = lead?.LeadID as string
  good(await driver.create('Note', [{ RecordID: deal?.OpportunityID as string, Note: 'a' }], 'Opportunity'))
  const where = [{ field: 'RecordID', family: 'text', operator: 'eq', value: deal?.OpportunityID as string } as const]
  expect(await all(driver, 'Note', { where, on: 'Opportunity' })).toHaveLength(1)
  const [campaign] = good(await driver.create('Campaign', [{ CampaignName: 'Fair' }])) as { CampaignID: string }[]
  const CampaignID = campaign?.CampaignID as string
  good(await driver.create('Membership', [{ LeadID, CampaignID }]))
  good(await driver.update('Campaign', [{ id: CampaignID, changes: { CampaignName: 'Fairs' }, before: {} }]))
  expect(await all(driver, 'Campaign')).toHaveLength(1)
  await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Name', Type: 'String', Label: 'Name' }])
  await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Hull', Type: 'Number', Label: 'Hull' }])
  good(await driver.create('CustomObject', [{ ObjectName: 'Boat', Values: { Name: 'Ariel' } }]))
  expect(good(await driver.delete('Membership', [`${LeadID}:${CampaignID}`]))).toEqual([true])
  return sent.map(({ path }) => path)
}

const hubspotTables = (tables: Tables): Tables => ({
  ...tables,
  Lead: { ...(tables.Lead as Table), fields: { ...tables.Lead?.fields, Company: { name: 'company', kind: 'text', label: 'Company' } as const } },
})

/** Scopes have one path only. */
const SCOPES = '/oauth/v2/private-apps/get/access-token-info'

test.for([undefined, '2026-09'])('every path has the one version, %s', async (apiVersion) => {
  const version = apiVersion ?? '2026-03'
  const paths = (await pathsOf(apiVersion === undefined ? {} : { apiVersion })).filter((path) => path !== SCOPES)
  expect(paths.filter((path) => !path.includes(`/${version}`))).toEqual([])
  expect(paths.filter((path) => /\/v\d/.test(path))).toEqual([])
})

test('v3 is v3, and v4 for associations', async () => {
  const paths = (await pathsOf({ apiVersion: 'v3' })).filter((path) => path !== SCOPES)
  expect(paths.filter((path) => !/\/v[34]\//.test(path))).toEqual([])
  expect(paths.filter((path) => path.includes('/v4/')).every((path) => path.includes('/associations/'))).toBe(true)
})

test.for(['2026', 'v1', '62.0', '2026-13', ''])('a version that there cannot be is refused before anything is sent: %s', async (apiVersion) => {
  const { opening, sent } = await startAccount({ options: { apiVersion } })
  await expect(hubspot.open(opening)).rejects.toMatchObject({ code: 'invalid_input', errors: [{ field: 'options.apiVersion' }] })
  expect(sent).toEqual([])
})
