import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { type Account, apiUser, openAccount, openingOf, RIGHTS } from './account.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

describe('fields that an account has', () => {
  let account: Account
  let driver: CrmDriver

  beforeAll(async () => {
    account = await openAccount()
    const field = (scope: string, name: string, type: string, more = {}) =>
      account.ask('POST', `Admin/fieldManager/${scope}`, { name, type, label: `The ${name}`, ...more })
    await field('Lead', 'score', 'int')
    await field('Lead', 'colour', 'enum', { options: ['', 'red', 'blue'] })
    await field('Lead', 'interests', 'multiEnum', { options: ['boats', 'cards'] })
    await field('Lead', 'budget', 'currency')
    await field('Lead', 'letter', 'wysiwyg')
    await field('Lead', 'externalId', 'varchar', { maxLength: 40 })
    await field('Lead', 'mobilePhone', 'varchar')
    await field('Lead', 'status', 'varchar')
    await account.ask('POST', 'EntityManager/action/createLink', {
      linkType: 'manyToOne',
      entity: 'Lead',
      link: 'partner',
      entityForeign: 'Account',
      linkForeign: 'partnerLeads',
      label: 'Partner',
    })
    driver = await espocrm.open(openingOf(account.simulator))
  })
  afterAll(async () => {
    await driver.close()
    await account.close()
  })

  const create = async (type: string, record: StoredRecord) => {
    const [made] = await driver.create(type, [record])
    if (made instanceof Error) throw made
    return made as StoredRecord
  }

  test('are there without a line of configuration, by their kinds, labels and limits', () => {
    const { Lead: extras } = driver.supports.extras
    expect(extras).toMatchObject({
      Score: { kind: 'integer', label: 'The score', readOnly: false },
      Colour: { kind: 'choice' },
      Interests: { kind: 'choices' },
      Budget: { kind: 'money' },
      Letter: { kind: 'longText' },
      DoNotCall: { kind: 'boolean', label: 'Do Not Call' },
      ConvertedAt: { kind: 'timestamp', readOnly: true },
      PartnerID: { kind: 'id', label: 'Partner', refers: 'Company' },
      CreatedContactID: { kind: 'id', refers: 'Contact' },
      CampaignID: { kind: 'id', refers: 'Campaign' },
    })
    // What is called like a field of the contract keeps its own name.
    expect(extras).toMatchObject({ cStatus: { kind: 'text' } })
    expect(driver.supports.fields.Lead).toMatchObject({
      Colour: { closed: ['red', 'blue'] },
      Interests: { closed: ['boats', 'cards'] },
      Score: { decimals: 0 },
    })
    for (const left of ['CreatedByID', 'TargetLists', 'Teams', 'Name', 'Address']) expect(extras).not.toHaveProperty(left)
  })

  test('are created, changed, cleared and read like others', async () => {
    const { CompanyID: PartnerID } = await create('Company', { CompanyName: 'Engines' })
    const values = {
      Score: 7,
      Colour: 'red',
      Interests: ['boats', 'cards'],
      Budget: 0,
      Letter: '<p>Dear</p>',
      DoNotCall: true,
      PartnerID,
      cStatus: 'own',
    } as StoredRecord
    const lead = await create('Lead', { ...ADA, ...values })
    expect(lead).toMatchObject(values)
    const id = lead.LeadID as string
    expect(await driver.get('Lead', [id])).toEqual([lead])
    const changes = { Interests: ['cards'], Colour: null, PartnerID: null, Score: null }
    const [changed] = await driver.update('Lead', [{ id, changes, before: lead }])
    expect(changed).toMatchObject(changes)
    const [emptied] = await driver.update('Lead', [{ id, changes: { Interests: null }, before: changed as StoredRecord }])
    expect(emptied).toMatchObject({ Interests: null })
  })

  test('are filtered by, lists by a value of theirs', async () => {
    const lead = await create('Lead', { ...ADA, Score: 41, Interests: ['boats'] })
    const bare = await create('Lead', { ...ADA, Score: 41 })
    const found = async (...where: Condition[]) => (await driver.find('Lead', { where, size: 50 })).records.map(({ LeadID }) => LeadID)
    const score: Condition = { field: 'Score', family: 'number', operator: 'eq', value: 41 }
    const list = (operator: 'contains' | 'eq' | 'ne', value: string | null): Condition => ({ field: 'Interests', family: 'list', operator, value })
    expect(await found(score, list('contains', 'boats'))).toEqual([lead.LeadID])
    expect(await found(score, list('contains', 'cards'))).toEqual([])
    expect(await found(score, list('eq', null))).toEqual([bare.LeadID])
    expect(await found(score, list('ne', null))).toEqual([lead.LeadID])
    expect([driver.narrows('Lead', list('contains', 'boats')), driver.narrows('Lead', list('eq', null))]).toEqual(['roughly', 'exactly'])
  })

  test('of the name of a field that EspoCRM has no place for are its place', async () => {
    expect(driver.supports.fields.Lead).toMatchObject({ ExternalID: { max: 40 }, MobilePhone: { max: 255 }, AnnualRevenue: { absent: true } })
    expect(driver.supports.fields.Company?.ExternalID).toEqual({ absent: true, remedy: expect.stringContaining('of type Varchar called externalId') })
    const lead = await create('Lead', { ...ADA, ExternalID: 'A-1', MobilePhone: 'any' })
    expect(lead).toMatchObject({ ExternalID: 'A-1', MobilePhone: 'any' })
    const where: Condition[] = [{ field: 'ExternalID', family: 'text', operator: 'eq', value: 'A-1' }]
    expect((await driver.find('Lead', { where, size: 5 })).records).toEqual([lead])
  })

  test('are called otherwise, or hidden, as the configuration says', async () => {
    const tables = { Lead: { fields: { Hotness: 'cScore', Colour: null } } }
    const other = await espocrm.open(openingOf(account.simulator, { tables }))
    expect(other.supports.extras.Lead).toMatchObject({ Hotness: { kind: 'integer' } })
    expect(other.supports.extras.Lead).not.toHaveProperty('Score')
    expect(other.supports.extras.Lead).not.toHaveProperty('Colour')
    const [lead] = (await other.create('Lead', [{ ...ADA, Hotness: 3 }])) as StoredRecord[]
    expect(await account.ask('GET', `Lead/${lead?.LeadID}`)).toMatchObject({ cScore: 3 })
    await other.close()
  })

  test('are not there where the role hides them, and can only be read where it closes them', async () => {
    const fieldData = { Lead: { cColour: { read: 'no', edit: 'no' }, cScore: { read: 'yes', edit: 'no' } } }
    const { apiKey } = await apiUser(account.simulator, RIGHTS, { fieldData })
    const limited = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
    expect(limited.supports.extras.Lead).not.toHaveProperty('Colour')
    expect(limited.supports.extras.Lead?.Score).toMatchObject({ readOnly: true })
    await limited.close()
  })

  test('that EspoCRM insists on are insisted on', async () => {
    await account.ask('POST', 'Admin/fieldManager/Case', { name: 'ticket', type: 'varchar', required: true })
    const insisting = await espocrm.open(openingOf(account.simulator))
    expect(insisting.supports.fields.Case?.Ticket).toMatchObject({ required: true })
    await insisting.close()
    await account.ask('DELETE', 'Admin/fieldManager/Case/cTicket')
  })

  test('which EspoCRM numbers itself are read back, as the answer to a create does not have them', async () => {
    expect(await create('Case', { Subject: 'Jam', Description: 'x' })).toMatchObject({ Number: expect.any(Number), Priority: 'Medium' })
  })
})
