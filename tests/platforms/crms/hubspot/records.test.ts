import { describe, expect, test } from 'vitest'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { ADA, all, bodyOf, good, HOSTILE, openAccount } from './open-account.ts'

const DEAL = { OpportunityName: 'Analytical engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 1200.5, Type: 'New Business', Probability: 7 }
const TICKET = { Subject: 'Card jammed', Description: 'The third card\nsticks.', Status: 'New', Priority: 'High', Origin: 'Web', Type: 'Question' }

/** What a record has, without the fields that have no value. */
const valuesOf = (record: unknown) => Object.fromEntries(Object.entries(record as StoredRecord).filter(([, value]) => value !== null))

const COMPANY = {
  CompanyName: 'Analytical Engines Ltd',
  Website: 'https://engines.example',
  Phone: '+44 1',
  Industry: 'Manufacturing',
  AnnualRevenue: 1200.5,
  Employees: 12,
  Street: '1 Dorset Street',
  City: 'London',
  State: 'Middlesex',
  PostalCode: 'W1',
  Country: 'England',
  Description: 'Makes\nengines',
}
const CONTACT = { FirstName: 'Charles', LastName: 'Babbage', Email: 'charles@engines.example', MobilePhone: '+44 2', Title: 'Director', City: 'London' }

describe('records of every type', () => {
  test.for([
    ['Lead', ADA, { Status: 'Connected', Phone: null, LastName: 'King' }, 'LeadID'],
    ['Opportunity', DEAL, { Stage: 'Closed Won', Amount: null, CloseDate: '2027-01-02' }, 'OpportunityID'],
    ['Case', TICKET, { Status: 'In Progress', Subject: 'Card mended' }, 'CaseID'],
    ['Company', COMPANY, { Industry: 'Retail', Phone: null, Employees: 13 }, 'CompanyID'],
    ['Contact', CONTACT, { Title: 'Chairman', City: null, LastName: 'Cabbage' }, 'ContactID'],
  ] as const)('a %s is created, read, changed and deleted', async ([type, draft, changes, id]) => {
    const { driver } = await openAccount()
    const [made] = good(await driver.create(type, [draft]))
    const key = (made as Record<string, string>)[id] as string
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(valuesOf(made)).toEqual({
      ...draft,
      [id]: key,
      OwnerID: 'nobody',
      CreatedDate: moment,
      UpdatedDate: moment,
    })
    expect(await driver.get(type, [key])).toEqual([made])

    const [changed] = await driver.update(type, [{ id: key, changes, before: made as never }])
    expect(changed === true || typeof changed === 'object').toBe(true)
    const [after] = await driver.get(type, [key])
    expect(after).toMatchObject({ ...draft, ...changes })

    expect(await driver.delete(type, [key])).toEqual([true])
    expect(await driver.get(type, [key])).toEqual([])
    expect(await driver.update(type, [{ id: key, changes, before: made as never }])).toEqual([false])
  })

  test('what cannot be an id is not there', async () => {
    const { driver, sent } = await openAccount()
    const before = sent.length
    expect(await driver.get('Lead', ['../deals', '', 'x', '1?', '01'])).toEqual([])
    expect(await driver.delete('Case', ['../deals/1'])).toEqual([false])
    expect(sent.length).toBe(before)
  })

  test('hostile texts come back as they were', async () => {
    const { driver } = await openAccount()
    const drafts = HOSTILE.map((text) => ({ OpportunityName: text, Stage: 'Negotiation', CloseDate: '2026-02-28' }))
    const made = good(await driver.create('Opportunity', drafts))
    expect(made.map((record) => (record as { OpportunityName: string }).OpportunityName)).toEqual(HOSTILE)
    const ids = made.map((record) => (record as { OpportunityID: string }).OpportunityID)
    expect((await driver.get('Opportunity', ids)).map(({ OpportunityName }) => OpportunityName).sort()).toEqual([...HOSTILE].sort())
    for (const text of HOSTILE) {
      const where = [{ field: 'OpportunityName', family: 'text', operator: 'eq', value: text }] as const
      expect((await all(driver, 'Opportunity', { where })).map(({ OpportunityName }) => OpportunityName)).toContain(text)
    }
  })

  test('only contacts that are leads are leads', async () => {
    const { driver, simulator } = await openAccount()
    const post = (properties: object) =>
      fetch(`${simulator.url}/crm/objects/2026-03/contacts`, {
        method: 'POST',
        headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
        body: JSON.stringify({ properties, associations: [] }),
      }).then((answer) => answer.json() as Promise<{ id: string }>)
    const customer = await post({ email: 'customer@example.com', lifecyclestage: 'customer' })
    const nameless = await post({ email: 'nameless@example.com', lifecyclestage: 'lead' })
    expect(await driver.get('Lead', [customer.id])).toEqual([])
    expect(await driver.get('Lead', [nameless.id])).toMatchObject([{ FirstName: '', LastName: '', Email: 'nameless@example.com', Status: null }])
    expect(await all(driver, 'Lead')).toMatchObject([{ LeadID: nameless.id }])
    expect(await driver.count('Lead', { where: [] })).toBe(1)
  })

  test('the owner can be set, filtered by and taken away', async () => {
    const { driver } = await openAccount()
    const OWNER = '71000001'
    const [mine, nobodys] = good(
      await driver.create('Lead', [
        { ...ADA, OwnerID: OWNER },
        { FirstName: 'Grace', LastName: 'Hopper', OwnerID: 'nobody' },
      ]),
    ) as {
      LeadID: string
    }[]
    const ids = (records: object[]) => records.map((record) => (record as { LeadID: string }).LeadID)
    expect(mine).toMatchObject({ OwnerID: OWNER })
    expect(nobodys).toMatchObject({ OwnerID: 'nobody' })
    expect(ids(await all(driver, 'Lead', { owners: [OWNER] }))).toEqual([mine?.LeadID])
    expect(ids(await all(driver, 'Lead', { owners: ['nobody'] }))).toEqual([nobodys?.LeadID])
    expect(await driver.count('Lead', { where: [], owners: [OWNER, 'nobody'] })).toBe(2)
    expect(await driver.count('Lead', { where: [], owners: ['somebody else'] })).toBe(0)
    const where = [{ field: 'OwnerID', family: 'text', operator: 'ne', value: 'nobody' }] as const
    expect(ids(await all(driver, 'Lead', { where }))).toEqual([mine?.LeadID])
    await driver.update('Lead', [{ id: mine?.LeadID as string, changes: { OwnerID: null }, before: {} }])
    expect(await driver.get('Lead', [mine?.LeadID as string])).toMatchObject([{ OwnerID: 'nobody' }])
  })
})

describe('batches', () => {
  test('a hundred are one request, and answer in their order', async () => {
    const { driver, sent } = await openAccount()
    const drafts = Array.from({ length: 150 }, (_, i) => ({ FirstName: `N${i}`, LastName: 'Many' }))
    const before = sent.length
    const made = good(await driver.create('Lead', drafts)) as { FirstName: string; LeadID: string }[]
    expect(sent.length - before).toBe(2)
    expect(made.map(({ FirstName }) => FirstName)).toEqual(drafts.map(({ FirstName }) => FirstName))
    const changes = made.map(({ LeadID }, i) => ({ id: LeadID, changes: { Phone: String(i) }, before: {} }))
    expect((await driver.update('Lead', changes)).every((one) => one === true || typeof one === 'object')).toBe(true)
    expect(
      (
        await driver.get(
          'Lead',
          made.map(({ LeadID }) => LeadID),
        )
      ).map(({ FirstName, Phone }) => `N${Phone}` === FirstName),
    ).toEqual(drafts.map(() => true))
    expect(await driver.delete('Lead', [...made.map(({ LeadID }) => LeadID), 'x'])).toEqual([...made.map(() => true), false])
    expect(await all(driver, 'Lead')).toEqual([])
  })

  test('what is wrong with one is said of that one, and the others are done', async () => {
    const { driver } = await openAccount()
    await driver.create('Lead', [ADA])
    const answers = await driver.create('Lead', [
      { FirstName: 'Grace', LastName: 'Hopper', Email: 'grace@example.com' },
      { FirstName: 'Ada', LastName: 'Again', Email: 'ADA@example.com' },
      { FirstName: 'Bad', LastName: 'Address', Email: 'not an address' },
    ])
    expect(answers[0]).toMatchObject({ FirstName: 'Grace' })
    expect(answers[1]).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Email', code: 'conflict' }] })
    expect(answers[2]).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Email' }] })
    const [known] = await all(driver, 'Lead', { where: [{ field: 'FirstName', family: 'text', operator: 'eq', value: 'Grace' }] })
    const changed = await driver.update('Lead', [
      { id: known?.LeadID as string, changes: { Phone: '1' }, before: {} },
      { id: '999', changes: { Phone: '2' }, before: {} },
      { id: 'x', changes: { Phone: '3' }, before: {} },
    ])
    expect(changed.slice(1)).toEqual([false, false])
    expect(await driver.get('Lead', [known?.LeadID as string])).toMatchObject([{ Phone: '1' }])
  })

  test('one record can be changed twice in a batch', async () => {
    const { driver } = await openAccount()
    const [made] = good(await driver.create('Lead', [ADA])) as { LeadID: string }[]
    const id = made?.LeadID as string
    const answers = await driver.update('Lead', [
      { id, changes: { Phone: '1' }, before: {} },
      { id, changes: { Phone: '2' }, before: {} },
    ])
    expect(answers.some((answer) => answer instanceof DriverError || answer === false)).toBe(false)
    expect(await driver.get('Lead', [id])).toMatchObject([{ Phone: '2' }])
  })
})

test('requests are as HubSpot describes them', async () => {
  const { driver, sent } = await openAccount()
  const [lead] = good(await driver.create('Lead', [ADA])) as { LeadID: string }[]
  await driver.create('Opportunity', [DEAL, { ...DEAL, Amount: 1e21 }])
  await driver.update('Lead', [{ id: lead?.LeadID as string, changes: { Phone: null }, before: {} }])
  await all(driver, 'Lead', { where: [{ field: 'Status', family: 'text', operator: 'eq', value: 'Open' }] })
  const inputs = sent.flatMap((request) =>
    request.method === 'POST' && /contacts$|batch\/create$/.test(request.path) ? [bodyOf(request).inputs ?? bodyOf(request)].flat() : [],
  )
  expect(inputs).toHaveLength(3)
  for (const { properties, associations } of inputs) {
    expect(associations).toEqual([])
    expect(Object.values(properties).every((value) => typeof value === 'string')).toBe(true)
  }
  expect(inputs[2].properties.amount).toBe('1000000000000000000000')
  expect(inputs[1].properties).toMatchObject({ pipeline: 'default', dealstage: 'appointmentscheduled', closedate: '2026-12-31' })
  const patches = sent.filter(({ method }) => method === 'PATCH').map(bodyOf)
  expect(patches).toEqual([{ properties: { phone: '' } }])
  const searches = sent.filter(({ path }) => path.endsWith('/search')).map(bodyOf)
  expect(searches.length).toBeGreaterThan(0)
  for (const search of searches) expect(Object.keys(search).sort()).toEqual(['after', 'filterGroups', 'limit', 'properties', 'sorts'])
})
