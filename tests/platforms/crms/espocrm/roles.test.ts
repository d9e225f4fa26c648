import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { examine } from '../../../../src/platforms/crms/espocrm/examination.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { operationsOver } from '../../../support/plain-server.ts'
import { ALL, apiUser, asAdministrator, openingOf, RIGHTS } from './account.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }

describe('the role of an API user', () => {
  let simulator: Simulator
  let owner: string
  beforeAll(async () => {
    simulator = await startSimulator(simulateEspoCrm)
  })
  beforeEach(async () => {
    simulator.simulated.reset()
    const user = { type: 'regular', userName: 'grace', lastName: 'Hopper', isActive: true }
    owner = (await asAdministrator<{ id: string }>(simulator, 'POST', 'User', user)).id
  })
  afterAll(() => simulator.close())

  async function as<T>(rights: object, work: (driver: CrmDriver) => Promise<T>): Promise<T> {
    const { apiKey } = await apiUser(simulator, rights, { assignmentPermission: 'all' })
    const driver = await espocrm.open(openingOf(simulator, { secrets: { apiKey } }))
    return work(driver).finally(() => driver.close())
  }

  async function faults(rights: object) {
    const { apiKey } = await apiUser(simulator, rights, { assignmentPermission: 'all' })
    const found = []
    for await (const { name, good, todo } of examine(openingOf(simulator, { secrets: { apiKey } }))) if (!good) found.push([name, todo])
    return found
  }

  test('that is documented suffices for everything', async () => {
    expect(await faults(RIGHTS)).toEqual([])
    await as(RIGHTS, async (driver) => {
      const [lead] = (await driver.create('Lead', [{ ...ADA, OwnerID: owner }])) as StoredRecord[]
      expect(lead).toMatchObject({ ...ADA, OwnerID: owner })
      expect(await driver.create('Opportunity', [{ ...DEAL, OwnerID: owner }])).toMatchObject([{ OwnerID: owner, Amount: 0 }])
      const [campaign] = (await driver.create('Campaign', [{ CampaignName: 'Autumn', OwnerID: owner }])) as StoredRecord[]
      const LeadID = lead?.LeadID as string
      const CampaignID = campaign?.CampaignID as string
      expect(await driver.create('Membership', [{ LeadID, CampaignID }])).toMatchObject([{ LeadID, CampaignID }])
      expect(await driver.create('Note', [{ RecordID: LeadID, Note: 'called' }], 'Lead')).toMatchObject([{ Note: 'called' }])
      expect(await driver.delete('Campaign', [CampaignID])).toEqual([true])
    })
  })

  test('without read of User, no record can be given to anybody, and the right is named', async () => {
    const { User: _, ...rights } = RIGHTS
    expect(await faults(rights)).toEqual([['Rights on User', expect.stringContaining('Set read of User to all')]])
    const [refused] = await as(rights, (driver) => driver.create('Lead', [{ ...ADA, OwnerID: owner }]))
    expect(refused).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('read of User to all'), errors: [{ field: 'OwnerID' }] })
  })

  test('without delete of Campaign, the right is named', async () => {
    expect(await faults({ ...RIGHTS, Campaign: { ...RIGHTS.Campaign, delete: 'no' } })).toEqual([
      ['Rights on Campaign', 'Set delete of Campaign in the role of the API user (Administration, Roles).'],
    ])
  })

  test('an owner whom EspoCRM does not have is named as such', async () => {
    const [refused] = await as(RIGHTS, (driver) => driver.create('Lead', [{ ...ADA, OwnerID: '6af8fcb2bde998c05' }]))
    expect(refused).toMatchObject({
      code: 'platform_rejected',
      message: "The PlatformUserID of the owner is not the id of one of EspoCRM's users.",
      errors: [{ field: 'OwnerID', code: 'value' }],
    })
  })

  test('what the role does not show is not found, with its notes and campaigns; nor is the id 0', async () => {
    const { id } = await asAdministrator<{ id: string }>(simulator, 'POST', 'Lead', { lastName: 'Hers', assignedUserId: owner })
    const { apiKey } = await apiUser(simulator, { ...RIGHTS, Lead: { ...ALL, read: 'own', stream: 'own' } })
    const { crm } = await operationsOver(espocrm, simulator.url, { apiKey })
    for (const LeadID of [id, '0']) {
      await expect(crm.leads.get({ LeadID })).rejects.toMatchObject({ code: 'not_found' })
      await expect(crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'x' } })).rejects.toMatchObject({ code: 'not_found' })
      await expect(crm.leads.delete({ LeadID })).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('a field that is closed for editing while the service runs is refused, and known from then on', async () => {
    const role = await asAdministrator<{ id: string }>(simulator, 'POST', 'Role', { name: 'api', data: RIGHTS, assignmentPermission: 'all' })
    const user = { type: 'api', userName: 'svc', authMethod: 'ApiKey', isActive: true, rolesIds: [role.id] }
    const { apiKey } = await asAdministrator<{ apiKey: string }>(simulator, 'POST', 'User', user)
    const driver = await espocrm.open(openingOf(simulator, { secrets: { apiKey } }))
    const [lead] = (await driver.create('Lead', [{ ...ADA, Status: 'Open' }])) as StoredRecord[]
    const id = lead?.LeadID as string
    const closed = { Lead: { firstName: { read: 'yes', edit: 'no' }, status: { read: 'yes', edit: 'no' } } }
    await asAdministrator(simulator, 'PUT', `Role/${role.id}`, { fieldData: closed })
    const changed = await driver.update('Lead', [{ id, changes: { FirstName: 'ADA' }, before: lead as StoredRecord }])
    expect(changed).toMatchObject([{ code: 'forbidden', errors: [{ field: 'FirstName', code: 'read_only' }], message: expect.stringContaining('FirstName') }])
    const before = await asAdministrator(simulator, 'GET', 'Lead')
    const [made] = await driver.create('Lead', [{ LastName: 'King', Status: 'Assigned' }])
    expect(made).toMatchObject({ code: 'forbidden', errors: [{ field: 'Status' }], message: expect.stringContaining('Nothing was') })
    expect(await asAdministrator(simulator, 'GET', 'Lead')).toEqual(before)
    await driver.close()
  })

  test('so is one that becomes read-only for everyone', async () => {
    await as(RIGHTS, async (driver) => {
      const [lead] = (await driver.create('Lead', [ADA])) as StoredRecord[]
      for (const [field, changes] of [
        ['firstName', { FirstName: 'Augusta' }],
        ['status', { Status: 'Assigned' }],
      ] as const) {
        await asAdministrator(simulator, 'PUT', `Admin/fieldManager/Lead/${field}`, { readOnly: true })
        const [changed] = await driver.update('Lead', [{ id: lead?.LeadID as string, changes, before: lead as StoredRecord }])
        expect(changed).toMatchObject({ code: 'forbidden', errors: [{ field: Object.keys(changes)[0] }], hint: expect.stringContaining('read-only') })
      }
    })
  })

  test('a value that is altered by a rule of EspoCRM is no closed field', async () => {
    await as(RIGHTS, async (driver) => {
      const [lead] = (await driver.create('Lead', [{ ...ADA, FirstName: ' Ada ', Phone: '+44 20 7946 0958', Email: 'Ada@Example.com' }])) as StoredRecord[]
      expect(lead).toMatchObject({ FirstName: 'Ada', Phone: '+442079460958', Email: 'ada@example.com' })
      expect(await driver.get('Lead', [lead?.LeadID as string])).toEqual([lead])
    })
  })
})
