import { startSimulator } from 'crm-simulators'
import { expect, onTestFinished, test } from 'vitest'
import { CRMS } from '../../src/platforms/crms/registry.ts'
import { only, type Place, placeForFiles } from '../support/files.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'
import { startService } from '../support/service.ts'

const NAMED = ['FirstName', 'LastName', 'Email', 'Phone', 'Company', 'Title', 'LeadSource'] as const

/** What a story tells, whenever it is told. */
async function toldIn(place: Place) {
  const people = only(await place.records('get_many_leads'), ...NAMED).map((one) => JSON.stringify(one))
  const deals = only(await place.records('get_many_opportunities'), 'OpportunityName', 'Amount').map((one) => JSON.stringify(one))
  const companies = only(await place.records('get_many_companies'), 'CompanyName', 'Industry', 'Street').map((one) => JSON.stringify(one))
  const cases = only(await place.records('get_many_cases'), 'Subject', 'Priority', 'ContactName').map((one) => JSON.stringify(one))
  return { people: people.sort(), deals: deals.sort(), companies: companies.sort(), cases: cases.sort() }
}

test('a demo has something for every figure, and months of history with an audit that verifies', async () => {
  const place = await placeForFiles()
  const made = await place.answer(['demo', '--size', '600', '--seed', '42'])
  expect(made).toMatchObject({ Seed: 42, Leads: 600, Cases: 180 })
  for (const name of ['Users', 'Opportunities', 'Companies', 'Contacts', 'Campaigns', 'CampaignMembers', 'CustomObjects', 'Notes', 'Comments'])
    expect(made[name], name).toBeGreaterThan(3)

  const deals = (await place.answer(['get_summary_opportunity'])) as Record<string, { Count: number } & unknown[]> & { WinRate: number }
  expect(deals.ByMonth?.length).toBeGreaterThanOrEqual(9)
  expect(deals.ByStage).toHaveLength(6)
  for (const name of ['Open', 'Won', 'Lost', 'Overdue', 'ClosingSoon']) expect(deals[name]?.Count, name).toBeGreaterThan(0)
  expect(deals.WinRate).toBeGreaterThan(0.2)
  const people = (await place.answer(['get_summary_of_leads'])) as { ByStatus: unknown[]; ByMonth: { Count: number }[]; ByOwner: unknown[] }
  expect(people.ByStatus).toHaveLength(5)
  expect(people.ByOwner.length).toBeGreaterThan(2)
  expect(people.ByMonth.at(-2)?.Count).toBeGreaterThan(people.ByMonth[1]?.Count ?? 0)
  const cases = (await place.answer(['case_get_summary'])) as { Open: { Count: number }; OldestOpen: { CreatedDate: string } }
  expect(cases.Open.Count).toBeGreaterThan(0)

  expect(await place.answer(['audit', 'verify'])).toMatchObject({ Workspaces: [{ Verified: true, Lines: made.Changes }] })
  const changes = (await place.records('get_many_changes', 'At')) as { At: string; Number: number; ChangeID: string }[]
  expect(changes.map(({ Number: number }) => number)).toEqual(changes.map((_, i) => i + 1))
  expect(changes.map(({ At }) => At)).toEqual(changes.map(({ At }) => At).sort())
  expect(changes.map(({ ChangeID }) => ChangeID)).toEqual(changes.map(({ ChangeID }) => ChangeID).sort())
  expect(Date.parse(changes.at(-1)?.At ?? '')).toBeLessThanOrEqual(Date.now())
  const objects = await place.records('get_many_custom_objects')
  expect(new Set(objects.map(({ ObjectName }) => ObjectName))).toEqual(new Set(['Contract', 'Visit']))
  const users = await place.records('get_many_users')
  expect(users.filter(({ ManagerID }) => ManagerID !== null).length).toBeGreaterThan(5)
})

test('the people of a demo belong to companies, deals and most cases to both, and leads say where they come from', async () => {
  const place = await placeForFiles()
  const made = await place.answer(['demo', '--size', '300', '--seed', '42'])
  const [leads, companies, contacts, deals, cases] = await Promise.all(
    ['leads', 'companies', 'contacts', 'opportunities', 'cases'].map(
      (plural) => place.records(`get_many_${plural}`) as Promise<Record<string, string | null>[]>,
    ),
  )
  expect([companies?.length, contacts?.length]).toEqual([made.Companies, made.Contacts])
  const owners = new Map(companies?.map(({ CompanyID, OwnerID }) => [CompanyID, OwnerID]))
  const employers = new Map(contacts?.map(({ ContactID, CompanyID }) => [ContactID, CompanyID]))
  // Everybody sees the records behind their own.
  for (const { CompanyID, OwnerID } of [...(contacts ?? []), ...(deals ?? [])]) expect(owners.get(CompanyID ?? '')).toBe(OwnerID)
  for (const { ContactID, CompanyID } of deals ?? []) expect(employers.get(ContactID ?? '')).toBe(CompanyID)
  const known = cases?.filter(({ CompanyID }) => CompanyID !== null) ?? []
  expect(known.length / (cases?.length ?? 0)).toBeGreaterThan(0.7)
  for (const { ContactID, CompanyID } of known) if (ContactID !== null) expect(employers.get(ContactID ?? '')).toBe(CompanyID)
  for (const { ContactID, ContactName } of cases ?? []) expect(ContactID === null).toBe(ContactName !== null)
  const parents = new Map(cases?.map(({ CaseID, CompanyID }) => [CaseID, CompanyID]))
  const later = cases?.filter(({ ParentID }) => ParentID !== null) ?? []
  expect(later.length).toBeGreaterThan(0)
  for (const { ParentID, CompanyID } of later) expect(parents.get(ParentID ?? '')).toBe(CompanyID)
  expect(new Set(deals?.map(({ Type }) => Type))).toEqual(new Set(['New Business', 'Existing Business']))
  for (const name of ['Company', 'Title', 'Industry', 'LeadSource', 'City', 'Rating', 'Website'])
    expect(leads?.filter((lead) => lead[name] !== null).length, name).toBeGreaterThan((leads?.length ?? 0) / 3)
  // A deal that was made of a lead has its source.
  expect(leads?.filter(({ Status }) => Status === 'Converted').length).toBe(deals?.filter(({ LeadSource }) => LeadSource !== null).length)
})

test('the same seed tells the same story, another one another', async () => {
  const [one, same, other] = [await placeForFiles(), await placeForFiles(), await placeForFiles()]
  await one.answer(['demo', '--size', '60', '--seed', '7'])
  await same.answer(['demo', '--size', '60', '--seed', '7'])
  await other.answer(['demo', '--size', '60', '--seed', '8'])
  const told = await toldIn(one)
  expect(told.people).toHaveLength(60)
  expect(await toldIn(same)).toEqual(told)
  expect((await toldIn(other)).people).not.toEqual(told.people)
})

test('nobody in a demo can be reached: addresses are under reserved names, and numbers of those kept free', async () => {
  const place = await placeForFiles()
  await place.answer(['demo', '--size', '400', '--months', '2'])
  const types = await Promise.all(['leads', 'companies', 'contacts', 'cases'].map((plural) => place.records(`get_many_${plural}`)))
  const reached = types.flat().map(({ Email, Phone, ContactEmail, ContactPhone }) => ({ Email: Email ?? ContactEmail, Phone: Phone ?? ContactPhone }))
  const free = /^\+1 \d{3} 555 01\d\d$|^\+44 20 7946 0\d{3}$|^\+49 30 23125 \d{3}$|^\+33 1 99 00 \d\d \d\d$|^\+46 8 465 004 \d\d$|^\+61 2 5550 \d{4}$/
  for (const { Email, Phone } of reached) {
    expect(Email ?? 'x@x.example').toMatch(/^[a-z0-9.]+@([a-z]+\.example|example\.(com|org|net))$/)
    expect(Phone ?? '+49 30 23125 100').toMatch(free)
  }
})

test('a demo does not mix with records unless it may, and has a workspace of its own where there are some', async () => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  const refused = await place.run(['demo', '--size', '10', '--workspace', 'default'])
  expect(refused).toMatchObject({ code: 5, out: '' })
  expect(refused.err).toContain('--workspace NAME')
  expect(await place.records('get_many_leads')).toHaveLength(1)

  const { Workspace, Key, Leads } = await place.answer(['demo', '--size', '10'])
  expect({ Workspace, Leads }).toEqual({ Workspace: 'demo', Leads: 10 })
  expect(await place.answer(['get_summary_of_leads', '--workspace', 'demo'])).toMatchObject({ Total: 10 })
  expect((await place.run(['get_current_user'], { env: { CRM_KEY: Key as string } })).out).toContain('"Workspace":"demo"')
  expect(await place.records('get_many_leads')).toHaveLength(1)

  const again = await place.run(['demo', '--size', '10'])
  expect(again).toMatchObject({ code: 5, out: '' })
  expect(again.err).toContain('The workspace demo is there already, with records in it.')
  expect(again.err).toContain('crm sign-in --workspace demo opens it. For another demo beside it: crm demo --workspace demo-2')
  expect(await place.answer(['demo', '--size', '10', '--force'])).toMatchObject({ Leads: 10 })
  expect(await place.records('get_many_leads')).toHaveLength(11)
  expect(await place.answer(['audit', 'verify'])).toMatchObject({ Workspaces: [{ Verified: true }, { Verified: true }] })
})

test('a demo says at once what it does, also where nobody sees a bar', async () => {
  const place = await placeForFiles()
  expect((await place.run(['demo', '--size', '1'])).err).toMatch(/^Generating demo records \(--size 1\)\.\n/)
})

test('a demo may be as small as one lead, and says in words what is there already', async () => {
  const place = await placeForFiles()
  expect(await place.answer(['demo', '--size', '1', '--months', '1'])).toMatchObject({ Leads: 1 })
  const filled = await placeForFiles()
  await filled.answer(['create_custom_object', '--json', '{"ObjectName":"Boat","Fields":{}}'])
  expect((await filled.run(['demo', '--size', '1', '--workspace', 'default'])).err).toContain('There are custom objects here already')
})

test('through a server the story is of today, and everybody has their own records all the same', async () => {
  const server = await serverForTest()
  const place = await placeForFiles({ CRM_URL: server.url, CRM_KEY: server.key })
  expect(await place.answer(['demo', '--size', '30', '--months', '3'])).toMatchObject({ Leads: 30 })
  const { Total, ByMonth, ByOwner } = (await server.call('get_summary_of_leads')) as { Total: number; ByMonth: unknown[]; ByOwner: { UserID: string }[] }
  expect({ Total, months: ByMonth.length, severalOwners: ByOwner.length > 1 }).toEqual({ Total: 30, months: 1, severalOwners: true })
  const { UserID } = await server.call('get_current_user')
  expect(ByOwner.map((one) => one.UserID)).not.toContain(UserID)
})

test('on a CRM a demo is refused before anything is written, in every workspace and through a server', async () => {
  const simulator = await startSimulator(await CRMS.espocrm.simulator.load())
  onTestFinished(() => simulator.close())
  const env = { CRM_PLATFORM: `espocrm:${simulator.url}`, CRM_ESPOCRM_API_KEY: 'simulator' }
  const place = await placeForFiles(env)
  for (const words of [[], ['--force'], ['--workspace', 'demo']]) {
    const refused = await place.run(['demo', '--size', '1', ...words])
    expect(refused).toMatchObject({ code: 6, out: '' })
    expect(refused.err).toContain('A CRM cannot be filled with records of the past, only a store can.')
    expect(refused.err).toContain('sqlite:demo.db')
  }
  const service = await startService(await temporaryFolder(), { env })
  const through = await placeForFiles({ CRM_URL: service.url, CRM_KEY: service.key() })
  const refused = await through.run(['demo', '--size', '1', '--force'])
  expect(refused).toMatchObject({ code: 6, out: '' })
  expect(refused.err).toContain('The records are in espocrm, and invented ones would be mixed with them. Nothing was written.')
  expect((await service.post('get_many_users')).status).toBe(200)
  expect((await fetch(`${service.url}/v1/demo`, { method: 'POST', headers: { authorization: `Bearer ${service.key()}` } })).status).toBe(422)
  expect(await service.call('get_many_workspaces')).toMatchObject({ Records: [{ Name: 'default' }] })
  expect(await place.records('get_many_leads')).toEqual([])
})

test.each([
  ['--size', '0'],
  ['--size', 'many'],
  ['--months', '0'],
  ['--seed', '1.5'],
])('demo %s %s is refused', async (flag, value) => {
  const place = await placeForFiles()
  const { code, err } = await place.run(['demo', flag, value])
  expect(code).toBe(2)
  expect(err).toContain('whole number')
})
