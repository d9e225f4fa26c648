import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { type Account, ADA, all, bodyOf, good, openAccount, startAccount } from './open-account.ts'

const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }
const TICKET = { Subject: 'Jam', Description: 'Stuck', Status: 'New' }

/** Two companies and two contacts, and a way to ask the account itself. */
async function open() {
  const account = await openAccount()
  const { driver, simulator } = account
  const companies = good(await driver.create('Company', [{ CompanyName: 'Engines' }, { CompanyName: 'Looms' }])).map((record) =>
    String((record as StoredRecord).CompanyID),
  )
  const contacts = good(await driver.create('Contact', [{ LastName: 'Babbage' }, { LastName: 'Jacquard' }])).map((record) =>
    String((record as StoredRecord).ContactID),
  )
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: 'Bearer simulator', 'content-type': 'application/json' }
    const answer = await fetch(`${simulator.url}/crm/objects/2026-03/${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  return { ...account, companies, contacts, ask }
}

const eq = (field: string, value: string | null): Condition => ({ field, family: 'text', operator: 'eq', value })

const changed = (driver: Account['driver'], type: string, id: string, changes: StoredRecord) => driver.update(type, [{ id, changes, before: {} }])

test.for([
  ['Opportunity', 'OpportunityID', DEAL, { CompanyID: 0, ContactID: 0 }],
  ['Case', 'CaseID', TICKET, { CompanyID: 0, ContactID: 0 }],
  ['Contact', 'ContactID', { LastName: 'Lovelace' }, { CompanyID: 0 }],
] as const)('a %s refers to a company, in whatever way it is read', async ([type, id, draft, refers]) => {
  const { driver, sent, companies, contacts } = await open()
  const [CompanyID, ContactID] = [companies[0] as string, contacts[0] as string]
  const references = { CompanyID, ...('ContactID' in refers && { ContactID }) }
  sent.length = 0
  const [made] = good(await driver.create(type, [{ ...draft, ...references }])) as StoredRecord[]
  expect(sent).toHaveLength(1)
  expect(made).toMatchObject(references)
  const key = String(made?.[id])
  const [plain] = good(await driver.create(type, [draft])) as StoredRecord[]

  sent.length = 0
  expect(await driver.get(type, [key])).toEqual([made])
  expect(sent).toHaveLength(1)
  expect((await driver.get(type, [key, String(plain?.[id])])).find((record) => record[id] === key)).toEqual(made)
  expect((await all(driver, type)).find((record) => record[id] === key)).toEqual(made)

  expect(driver.narrows(type, eq('CompanyID', CompanyID))).toBe('roughly')
  expect(driver.narrows(type, eq('CompanyID', null))).toBe('not')
  expect(await all(driver, type, { where: [eq('CompanyID', CompanyID)] })).toEqual([made])
  expect(await all(driver, type, { where: [eq('CompanyID', 'none')] })).toEqual([])
})

test('a page costs a request for each kind of reference, whatever its size, and none where they are not wanted', async () => {
  const { driver, sent, companies, contacts } = await open()
  const drafts = Array.from({ length: 60 }, (_, i) => ({ ...DEAL, CompanyID: companies[i % 2] as string, ContactID: contacts[i % 2] as string }))
  good(await driver.create('Opportunity', drafts))
  const order = { field: 'CreatedDate', descending: true }
  sent.length = 0
  const { records } = await driver.find('Opportunity', { where: [], order, size: 200 })
  expect(records.filter(({ CompanyID, ContactID }) => CompanyID === companies[0] && ContactID === contacts[0])).toHaveLength(30)
  expect(sent.map(({ path }) => path.replace('/2026-03', '')).sort()).toEqual([
    '/crm/associations/deals/companies/batch/read',
    '/crm/associations/deals/contacts/batch/read',
    '/crm/objects/deals/search',
  ])
  sent.length = 0
  await driver.find('Opportunity', { where: [], order, size: 200, fields: ['OpportunityName'] })
  expect(sent).toHaveLength(1)
  sent.length = 0
  expect((await driver.find('Opportunity', { where: [], size: 200 })).records.every(({ CompanyID }) => CompanyID !== null)).toBe(true)
  expect(sent.map(({ path }) => path)).toEqual(['/crm/objects/2026-03/deals'])
})

test('a reference is replaced and emptied, and the properties with it', async () => {
  const { driver, companies, contacts, ask } = await open()
  const [deal] = good(await driver.create('Opportunity', [{ ...DEAL, CompanyID: companies[0] as string, ContactID: contacts[0] as string }])) as StoredRecord[]
  const id = String(deal?.OpportunityID)
  expect(await changed(driver, 'Opportunity', id, { CompanyID: companies[1] as string, ContactID: contacts[1] as string, Amount: 5 })).toEqual([true])
  expect(await driver.get('Opportunity', [id])).toMatchObject([{ CompanyID: companies[1], ContactID: contacts[1], Amount: 5 }])
  expect((await ask('GET', `deals/${id}/associations/companies`)).results).toMatchObject([{ toObjectId: companies[1] }])
  expect(await changed(driver, 'Opportunity', id, { CompanyID: null })).toEqual([true])
  expect(await driver.get('Opportunity', [id])).toMatchObject([{ CompanyID: null, ContactID: contacts[1], Amount: 5 }])
  // What is already so is not sent.
  expect(await changed(driver, 'Opportunity', id, { CompanyID: null })).toEqual([true])
})

test('companies that people have added beside the primary one stay', async () => {
  const { driver, companies, ask } = await open()
  const [contact] = good(await driver.create('Contact', [{ LastName: 'Lovelace', CompanyID: companies[1] as string }])) as StoredRecord[]
  const id = String(contact?.ContactID)
  await ask('PUT', `contacts/${id}/associations/default/companies/${companies[0]}`)
  expect(await driver.get('Contact', [id])).toMatchObject([{ CompanyID: companies[1] }])
  const [third] = good(await driver.create('Company', [{ CompanyName: 'Third' }])) as StoredRecord[]
  expect(await changed(driver, 'Contact', id, { CompanyID: String(third?.CompanyID) })).toEqual([true])
  expect(await driver.get('Contact', [id])).toMatchObject([{ CompanyID: third?.CompanyID }])
  expect((await ask('GET', `contacts/${id}/associations/companies`)).results).toHaveLength(2)
  expect(await changed(driver, 'Contact', id, { CompanyID: null })).toMatchObject([{ code: 'conflict', errors: [{ field: 'CompanyID' }] }])
  expect(await driver.get('Contact', [id])).toMatchObject([{ CompanyID: third?.CompanyID }])
})

test('what is not there cannot be referred to, and the others of a batch are not held back', async () => {
  const { driver, companies } = await open()
  expect(await driver.create('Opportunity', [{ ...DEAL, CompanyID: '999' }])).toMatchObject([{ code: 'platform_rejected' }])
  const deals = good(await driver.create('Opportunity', [DEAL, DEAL])) as StoredRecord[]
  const [one, other] = deals.map(({ OpportunityID }) => String(OpportunityID))
  const answers = await driver.update('Opportunity', [
    { id: one as string, changes: { CompanyID: '999' }, before: {} },
    { id: other as string, changes: { CompanyID: companies[0] as string }, before: {} },
  ])
  expect(answers).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'CompanyID', code: 'not_found' }] }, true])
  expect(await driver.get('Opportunity', [other as string])).toMatchObject([{ CompanyID: companies[0] }])
  expect(await changed(driver, 'Opportunity', one as string, { CompanyID: 'no id' })).toMatchObject([{ errors: [{ field: 'CompanyID', code: 'not_found' }] }])
})

test('a company that is deleted is no longer referred to', async () => {
  const { driver, companies } = await open()
  const [deal] = good(await driver.create('Opportunity', [{ ...DEAL, CompanyID: companies[0] as string }])) as StoredRecord[]
  await driver.delete('Company', [companies[0] as string])
  expect(await driver.get('Opportunity', [String(deal?.OpportunityID)])).toMatchObject([{ CompanyID: null }])
})

test('leads and contacts are told apart by the lifecycle stage', async () => {
  const { driver, sent, contacts, ask } = await open()
  const [lead] = good(await driver.create('Lead', [ADA])) as StoredRecord[]
  const LeadID = String(lead?.LeadID)
  expect(await driver.get('Contact', [LeadID])).toEqual([])
  expect(await driver.get('Lead', contacts)).toEqual([])
  expect((await all(driver, 'Contact')).map(({ ContactID }) => ContactID)).toEqual(contacts)
  expect(await all(driver, 'Lead')).toEqual([lead])
  expect(await driver.count('Contact', { where: [] })).toBe(2)
  const order = { field: 'CreatedDate', descending: false }
  expect((await all(driver, 'Contact', { order })).map(({ ContactID }) => ContactID)).toEqual(contacts)
  sent.length = 0
  expect((await all(driver, 'Contact', { where: [eq('LastName', 'Babbage')] })).map(({ ContactID }) => ContactID)).toEqual([contacts[0]])
  expect(sent.map(bodyOf)[0].filterGroups).toMatchObject([
    { filters: [{}, {}, { operator: 'NEQ', value: 'lead' }] },
    { filters: [{}, {}, { operator: 'NOT_HAS_PROPERTY' }] },
  ])
  // A contact without a stage is none of the leads.
  await ask('PATCH', `contacts/${LeadID}`, { properties: { lifecyclestage: '' } })
  expect(await driver.get('Lead', [LeadID])).toEqual([])
  expect(await driver.get('Contact', [LeadID])).toMatchObject([{ LastName: 'Lovelace' }])
  expect(await driver.count('Contact', { where: [] })).toBe(3)
})

test('every contact is a contact where leads are objects of their own', async () => {
  const { driver } = await openAccount({ options: { leads: 'lead' } })
  good(await driver.create('Lead', [ADA]))
  expect(await all(driver, 'Contact')).toMatchObject([{ LastName: 'Lovelace' }])
})

test.for(['Company', 'Contact'])('notes on a %s', async (type) => {
  const { driver, companies, contacts } = await open()
  const id = (type === 'Company' ? companies : contacts)[0] as string
  good(await driver.create('Note', [{ RecordID: id, Note: 'Called.' }], type))
  expect(await all(driver, 'Note', { where: [eq('RecordID', id)], on: type })).toMatchObject([{ Note: 'Called.', RecordID: id }])
  expect(await driver.getWithCounts?.(type, id)).toMatchObject({ counts: { Note: 1 } })
})

test('an app that may not see companies has everything else, without references to them', async () => {
  const simulator = await startSimulator((world) => {
    const simulated = simulateHubSpot(world)
    const refusal = { status: 403, body: { status: 'error', message: 'not granted', category: 'MISSING_SCOPES', correlationId: 'x' } }
    return { ...simulated, answer: (request) => (/companies/.test(`${request.path} ${request.query}`) ? refusal : simulated.answer(request)) }
  })
  onTestFinished(() => simulator.close())
  const { opening } = await startAccount()
  const driver = await hubspot.open({ ...opening, address: simulator.url })
  onTestFinished(() => driver.close())
  expect(driver.supports.fields.Opportunity?.CompanyID).toEqual({ absent: true })
  const [deal] = good(await driver.create('Opportunity', [DEAL])) as StoredRecord[]
  expect(await driver.get('Opportunity', [String(deal?.OpportunityID)])).toEqual([deal])
  await expect(driver.find('Company', { where: [], size: 10 })).rejects.toMatchObject({ code: 'forbidden' })
})
