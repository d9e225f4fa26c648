import { describe, expect, test } from 'vitest'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { account, all, create, good, one } from './account.ts'

const { open, send, requests, simulator } = account()

const ADA: StoredRecord = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958', Status: 'Open' }
const NOW = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.000Z$/)

async function user(name: string): Promise<string> {
  const made = await send<{ id: string }>('POST', '/sobjects/User', {
    LastName: name,
    Username: `${name}@example.com`,
    Email: `${name}@example.com`,
    Alias: name,
  })
  return made.id
}

describe('records', () => {
  test('a lead is created with what Salesforce insists on, and comes back in our words', async () => {
    const driver = await open()
    const owner = await user('grace')
    const id = await create(driver, 'Lead', { ...ADA, OwnerID: owner })
    expect(await one(driver, 'Lead', id)).toMatchObject({ LeadID: id, ...ADA, Company: null, OwnerID: owner, CreatedDate: NOW, UpdatedDate: NOW })
    const raw = await send<Record<string, unknown>>('GET', `/sobjects/Lead/${id}`)
    expect(raw).toMatchObject({ Company: '[not provided]', Status: 'Open - Not Contacted', OwnerId: owner })
    expect(requests.find(({ method, path }) => method === 'POST' && path.endsWith('/sobjects/Lead'))?.headers).toMatchObject({ 'sforce-auto-assign': 'FALSE' })
  })

  test.each([
    ['Opportunity', { OpportunityName: 'Analytical engine', Stage: 'Negotiation', CloseDate: '2026-12-31', Amount: 1200.5 }],
    ['Case', { Subject: 'Card jammed', Description: 'The third card.\nIt sticks.', Status: 'In Progress' }],
    ['Campaign', { CampaignName: 'Spring fair', Status: 'Active' }],
  ] as const)('%s: every field reaches Salesforce and comes back', async (type, fields) => {
    const driver = await open()
    const id = await create(driver, type, fields)
    expect(await one(driver, type, id)).toMatchObject(fields)
  })

  test('our words are theirs', async () => {
    const driver = await open()
    const [opportunity, problem, campaign] = await Promise.all([
      create(driver, 'Opportunity', { OpportunityName: 'Engine', Stage: 'Negotiation', CloseDate: '2026-12-31' }),
      create(driver, 'Case', { Subject: 'Jam', Description: 'Sticks', Status: 'In Progress' }),
      create(driver, 'Campaign', { CampaignName: 'Fair', Status: 'Active' }),
    ])
    expect(await send('GET', `/sobjects/Opportunity/${opportunity}`)).toMatchObject({ StageName: 'Negotiation/Review' })
    expect(await send('GET', `/sobjects/Case/${problem}`)).toMatchObject({ Status: 'Working' })
    expect(await send('GET', `/sobjects/Campaign/${campaign}`)).toMatchObject({ Status: 'In Progress' })
  })

  test('an update changes what it names and clears what is null', async () => {
    const driver = await open()
    const id = await create(driver, 'Lead', ADA)
    const before = (await one(driver, 'Lead', id)) as StoredRecord
    expect(await driver.update('Lead', [{ id, changes: { Phone: null, Status: 'Contacted' }, before }])).toEqual([true])
    expect(await one(driver, 'Lead', id)).toMatchObject({ ...ADA, Phone: null, Status: 'Contacted' })
  })

  test('what is not there is not there, whatever its id looks like', async () => {
    const driver = await open()
    const id = await create(driver, 'Lead', ADA)
    const opportunity = await create(driver, 'Opportunity', { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' })
    expect(await driver.delete('Lead', [id])).toEqual([true])
    for (const strange of [id, opportunity, id.slice(0, 15), id.toLowerCase(), '', 'x', "' OR Id != '", '../User', '005\u0000']) {
      expect(await driver.get('Lead', [strange]), strange).toEqual([])
      expect(await driver.update('Lead', [{ id: strange, changes: { Phone: '1' }, before: {} }]), strange).toEqual([false])
      expect(await driver.delete('Lead', [strange]), strange).toEqual([false])
    }
    expect(await one(driver, 'Opportunity', opportunity)).toBeDefined()
  })

  test('several are sent together, and each has its own answer', async () => {
    const driver = await open()
    const made = await driver.create('Lead', [ADA, { ...ADA, Email: 'not an address' }, { ...ADA, FirstName: 'Grace' }])
    expect(requests.filter(({ path }) => path.endsWith('/composite/sobjects'))).toHaveLength(1)
    const [first, wrong, last] = made
    expect(wrong).toBeInstanceOf(DriverError)
    expect(wrong).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Email', code: 'form' }] })
    const ids = [first, last].map((each) => (good(each) as { id: string }).id)
    expect((await driver.get('Lead', ids)).map(({ FirstName }) => FirstName).sort()).toEqual(['Ada', 'Grace'])
    const gone = '00Q5e0000000zzzEAA'
    const changes = { Phone: '1' }
    expect(
      await driver.update(
        'Lead',
        [...ids, gone].map((id) => ({ id, changes, before: {} })),
      ),
    ).toEqual([true, true, false])
    expect(await driver.delete('Lead', [gone, ...ids])).toEqual([false, true, true])
    expect(await driver.get('Lead', ids)).toEqual([])
  })

  test('more than two hundred go in several requests', async () => {
    const driver = await open()
    const made = await driver.create(
      'Case',
      Array.from({ length: 450 }, (_, at) => ({ Subject: `Jam ${at}`, Description: 'Sticks', Status: 'New' })),
    )
    expect(requests.filter(({ path }) => path.endsWith('/composite/sobjects'))).toHaveLength(3)
    const ids = made.map((each) => (good(each) as { id: string }).id)
    const got = await driver.get('Case', ids)
    expect(new Set(got.map(({ CaseID }) => CaseID))).toEqual(new Set(ids))
  })
})

describe('what hangs on records', () => {
  test('a note gets a title, and keeps who wrote it', async () => {
    const driver = await open()
    const author = await user('grace')
    const lead = await create(driver, 'Lead', ADA)
    const text = `\n  ${'Asked for a quote. '.repeat(10)}\nBy Friday.`
    const id = await create(driver, 'Note', { RecordID: lead, Note: text, AuthorID: author }, 'Lead')
    const asked = { where: [{ field: 'RecordID', family: 'text', operator: 'eq', value: lead }], size: 10, on: 'Lead' } as const
    const { records } = await all(driver, 'Note', { ...asked, order: { field: 'CreatedDate', descending: true } })
    expect(records).toEqual([{ NoteID: id, RecordID: lead, Note: text.trim(), AuthorID: author, CreatedDate: NOW }])
    expect(await driver.count('Note', asked)).toBe(1)
    const { Title } = await send<{ Title: string }>('GET', `/sobjects/Note/${id}`)
    expect(Title.length).toBeLessThanOrEqual(80)
    expect(text).toContain(Title)
    expect(driver.supports.authors).toEqual(['Note'])
  })

  test('a comment says whether it is published', async () => {
    const driver = await open()
    const id = await create(driver, 'Case', { Subject: 'Jam', Description: 'Sticks', Status: 'New' })
    await create(driver, 'Comment', { CaseID: id, Comment: 'A new deck.', Publish: true })
    await create(driver, 'Comment', { CaseID: id, Comment: 'Between us.', Publish: false })
    const { records } = await all(driver, 'Comment', { where: [{ field: 'CaseID', family: 'text', operator: 'eq', value: id }], size: 10 })
    expect(records.map(({ Comment, Publish }) => [Comment, Publish])).toEqual([
      ['A new deck.', true],
      ['Between us.', false],
    ])
  })

  test('whoever is in a campaign stays in it, and leaves it once', async () => {
    const driver = await open()
    const [LeadID, CampaignID] = [await create(driver, 'Lead', ADA), await create(driver, 'Campaign', { CampaignName: 'Fair', Status: 'Active' })]
    const id = `${LeadID}:${CampaignID}`
    expect(await driver.get('Membership', [id, 'x:y', `${id}:z`])).toEqual([])
    expect(await driver.create('Membership', [{ LeadID, CampaignID }])).toEqual([{ id }])
    const member = { MembershipID: id, LeadID, CampaignID, Status: 'Sent', ExternalID: null, CreatedDate: NOW }
    expect(await driver.create('Membership', [{ LeadID, CampaignID }])).toEqual([member])
    expect(await driver.get('Membership', [id])).toEqual([member])
    const where = [{ field: 'LeadID', family: 'text', operator: 'eq', value: LeadID }] as const
    expect((await driver.find('Membership', { where, size: 10 })).records).toEqual([member])
    expect(await driver.count('Membership', { where })).toBe(1)
    expect(await driver.delete('Membership', [id, 'x:y'])).toEqual([true, false])
    expect(await driver.delete('Membership', [id])).toEqual([false])
  })

  test('contacts of a campaign are not among its leads', async () => {
    const driver = await open()
    const CampaignID = await create(driver, 'Campaign', { CampaignName: 'Fair', Status: 'Active' })
    const { id: ContactId } = await send<{ id: string }>('POST', '/sobjects/Contact', { LastName: 'Hopper' })
    await send('POST', '/sobjects/CampaignMember', { ContactId, CampaignId: CampaignID })
    const where = [{ field: 'CampaignID', family: 'text', operator: 'eq', value: CampaignID }] as const
    expect((await driver.find('Membership', { where, size: 10 })).records).toEqual([])
    expect(await driver.count('Membership', { where })).toBe(0)
  })
})

test('every session is shared', async () => {
  const driver = await open()
  await Promise.all(Array.from({ length: 10 }, (_, at) => create(driver, 'Lead', { ...ADA, FirstName: `Ada ${at}` })))
  simulator().faults.add('expired-session=1x')
  await Promise.all(Array.from({ length: 10 }, () => driver.count('Lead', { where: [] })))
  expect(requests.filter(({ path }) => path === '/services/oauth2/token')).toHaveLength(2)
  expect(driver.quota()).toMatchObject({ most: 15_000 })
})
