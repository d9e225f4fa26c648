import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import type { StoredRecord, Value } from '../../../../src/platforms/platform.ts'
import { operationsOver } from '../../../support/plain-server.ts'
import { type Account, openAccount } from './account.ts'

const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' } as const

describe('what EspoCRM stores', () => {
  let account: Account
  beforeAll(async () => {
    account = await openAccount()
    await account.ask('POST', 'EntityManager/action/createEntity', { name: 'Ship', type: 'Base', labelSingular: 'Ship', labelPlural: 'Ships' })
    for (const type of ['int', 'float', 'bool']) await account.ask('POST', 'Admin/fieldManager/CShip', { name: `a${type}`, type, label: type })
  })
  afterAll(() => account.close())

  const ship = async (Values: { readonly [name: string]: Value }) => (await account.driver.create('CustomObject', [{ ObjectName: 'Ship', Values }]))[0]

  test('an amount that it would round is refused before anything is sent, and described', async () => {
    const { crm } = await operationsOver(espocrm, account.simulator.url, { apiKey: 'simulator' })
    for (const Amount of [999_999_999_999_999, 12_345_678_901.2345]) {
      const refused = { code: 'invalid_input', errors: [{ field: 'Amount', code: 'value', expected: 'at most 14 digits' }] }
      await expect(crm.opportunities.create({ ...DEAL, Amount })).rejects.toMatchObject(refused)
    }
    expect(await account.ask('GET', 'Opportunity')).toMatchObject({ total: 0 })
    const { OpportunityID, Amount } = await crm.opportunities.create({ ...DEAL, Amount: 99_999_999_999_999 })
    expect([Amount, (await crm.opportunities.get({ OpportunityID })).Amount]).toEqual([99_999_999_999_999, 99_999_999_999_999])
    const { RecordTypes } = await crm.describe({})
    const remark = (type: string, field: string) => RecordTypes.find(({ Name }) => Name === type)?.Fields.find(({ Name }) => Name === field)?.Description
    expect(remark('Opportunity', 'Amount')).toMatch(/espocrm stores 14 digits\.$/)
    expect(remark('Lead', 'Email')).toMatch(/lower case/)
    expect(remark('Lead', 'Phone')).toMatch(/\+442079460958/)
  })

  test('a sum with an amount that is no money is refused, not rounded', async () => {
    const { crm } = await operationsOver(espocrm, account.simulator.url, { apiKey: 'simulator' })
    const { id } = await account.ask('POST', 'Opportunity', { name: 'Moon', amount: 1e22, stage: 'Prospecting', closeDate: '2026-12-31' })
    await expect(crm.opportunities.getSummary({})).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining(String(id)) })
    await account.ask('DELETE', `Opportunity/${id}`)
  })

  test('an opportunity of nothing has the currency of the account, and others keep theirs', async () => {
    for (const Amount of [undefined, 0]) {
      const [deal] = (await account.driver.create('Opportunity', [{ ...DEAL, ...(Amount !== undefined && { Amount }) }])) as StoredRecord[]
      expect(await account.ask('GET', `Opportunity/${deal?.OpportunityID}`)).toMatchObject({ amount: 0, amountCurrency: 'USD' })
      const [changed] = await account.driver.update('Opportunity', [
        { id: deal?.OpportunityID as string, changes: { Amount: 0 }, before: deal as StoredRecord },
      ])
      expect(changed).toMatchObject({ Amount: 0 })
    }
    const { id } = await account.ask('POST', 'Opportunity', { name: 'None', amountCurrency: 'USD', stage: 'Prospecting', closeDate: '2026-12-31' })
    expect(await account.driver.update('Opportunity', [{ id: String(id), changes: { Amount: 0 }, before: { Amount: null } }])).toMatchObject([{ Amount: 0 }])
  })

  test('a number of a custom object is stored as it is, or refused', async () => {
    expect(await ship({ Aint: 7, Afloat: 0.3 })).toMatchObject({ Values: { Aint: 7, Afloat: 0.3 } })
    expect(await ship({ Aint: 7.5 })).toMatchObject({ code: 'unsupported', errors: [{ field: 'Aint', expected: '7' }] })
    expect(await ship({ Afloat: 0.1 + 0.2 })).toMatchObject({ code: 'unsupported', errors: [{ field: 'Afloat', expected: '0.3' }] })
    expect(await ship({ Aint: 3_000_000_000 })).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Aint', code: 'range' }] })
  })

  test('a Boolean that people have made cannot be cleared, and is told so', async () => {
    const made = (await ship({ Abool: true })) as StoredRecord
    const [refused] = await account.driver.update('CustomObject', [
      { id: made.ObjectID as string, changes: { Values: { ...(made.Values as object), Abool: null } }, before: made },
    ])
    expect(refused).toMatchObject({ code: 'unsupported', retryable: false, errors: [{ field: 'Abool' }] })
    expect(await account.driver.get('CustomObject', [made.ObjectID as string])).toEqual([made])
  })

  test('an e-mail address is in small letters from the first answer on', async () => {
    const [lead] = (await account.driver.create('Lead', [{ FirstName: 'Ada', LastName: 'King', Email: 'Ada.King@Example.COM' }])) as StoredRecord[]
    expect(lead?.Email).toBe('ada.king@example.com')
    expect(await account.driver.get('Lead', [lead?.LeadID as string])).toEqual([lead])
  })
})
