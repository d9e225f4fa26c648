import type { Simulator } from 'crm-simulators'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Crm as Client } from '../../../src/contract/client/client.ts'
import { LIMITS } from '../../../src/contract/limits.ts'
import { watchWorkspace } from '../../../src/core/watch/watch.ts'
import type { Store } from '../../../src/platforms/store.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { type Crm, overCrm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'
import { STORES } from '../../support/stores.ts'

const requests = async ({ url }: Simulator): Promise<number> => ((await (await fetch(`${url}/simulator`)).json()) as { calls: number }).calls

type Answer = Record<string, unknown> & { readonly Records?: readonly unknown[]; readonly AsOf?: string }

interface Place {
  readonly kind: Crm
  readonly open: () => Promise<Store>
}

/** Each CRM with its mirror in SQLite, and one in every other store. */
const PLACES = STORES.flatMap(({ platform, open }, nth) =>
  ALL_CRMS.slice(nth === 0 ? 0 : -1).map(([name, kind]): [string, Place] => [`${name} in ${platform}`, { kind, open }]),
)

/** An account with a little of everything, whose mirror is complete. */
async function filled({ kind, open }: Place) {
  const connection = await overCrm(kind, { isWatched: true, store: await open() })
  const other = await otherClient(kind, connection.simulator.url)
  onTestFinished(async () => {
    await other.close()
    await connection.close()
  })
  const crm = connection.signIn(connection.adminKey)
  const poll = () => watchWorkspace(connection.service, 1, new AbortController().signal)
  const { CompanyID } = await crm.companies.create({ CompanyName: 'Engines' })
  const { ContactID } = await crm.contacts.create({ FirstName: 'Charles', LastName: 'Babbage', CompanyID })
  for (const [LastName, Status] of [
    ['Lovelace', 'Open'],
    ['Hopper', 'Open'],
    ['lamarr', kind.values.leadStatuses?.[1] ?? 'Contacted'],
  ] as const)
    await crm.leads.create({ FirstName: 'A', LastName, Email: `${LastName}@example.com`, Status })
  await other.write(1, (writer) => writer.create('Lead', { FirstName: 'Élodie', LastName: 'Ümit', Status: 'Open' }))
  await crm.opportunities.create({ OpportunityName: 'Engine', Stage: 'Prospecting', Amount: 12.5, CloseDate: '2026-01-31', CompanyID, ContactID })
  await crm.opportunities.create({ OpportunityName: 'Analytical engine', Stage: 'Closed Won', Amount: 7, CloseDate: '2026-02-28' })
  await crm.cases.create({ Subject: 'Wheel stuck', Description: 'It does not turn.', ContactID })
  await other.write(1, (writer) => writer.create('Case', { Subject: 'Without a word', Status: 'New' }))
  await crm.customObjects.create({
    ObjectName: 'Boat',
    Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 7.5 }, Port: { Type: 'String', Label: 'Port', Value: 'Kiel' } },
  })
  await connection.simulator.advance(60_000)
  await poll()
  return { ...connection, crm, other, poll }
}

/** What a read answers by the mirror and by the CRM itself. */
async function both(read: (how: { readonly Fresh: boolean }) => Promise<unknown>) {
  const [mirrored, direct] = [(await read({ Fresh: false })) as Answer, (await read({ Fresh: true })) as Answer]
  expect(mirrored.AsOf).toEqual(expect.any(String))
  expect(direct).not.toHaveProperty('AsOf')
  const { AsOf: _asOf, NextCursor: _one, ...rest } = mirrored
  const { NextCursor: _other, ...expected } = direct
  return [undated(rest), undated(expected)] as const
}

/** HubSpot moves the date of a change again when it has calculated properties, which is no change. */
const undated = (answer: object): unknown => JSON.parse(JSON.stringify(answer, (name, value) => (name === 'UpdatedDate' ? undefined : value)))

const READS: { readonly [name: string]: (crm: Client, how: object) => Promise<unknown> } = {
  'all leads': (crm, how) => crm.leads.getMany(how),
  'leads by status': (crm, how) => crm.leads.getMany({ ...how, Filters: { Status: 'Open' }, OrderBy: 'LastName' }),
  'leads by text': (crm, how) => crm.leads.getMany({ ...how, Filters: { LastName: { contains: 'l' } }, OrderBy: 'LastName desc' }),
  'leads that have an owner': (crm, how) => crm.leads.getMany({ ...how, Filters: { OwnerID: { ne: null } } }),
  'leads without an owner': (crm, how) => crm.leads.getMany({ ...how, Filters: { not: { OwnerID: { ne: null } } } as never }),
  'leads by alternatives': (crm, how) => crm.leads.getMany({ ...how, Filters: { any: [{ LastName: 'Hopper' }, { not: { Status: 'Open' } }] } as never }),
  'some fields of leads': (crm, how) => crm.leads.getMany({ ...how, Select: ['LastName', 'Revision'], OrderBy: 'CreatedDate' }),
  'leads with their owners': (crm, how) => crm.leads.getMany({ ...how, Include: ['Owner'] }),
  'opportunities by amount': (crm, how) =>
    crm.opportunities.getMany({ ...how, Filters: { Amount: { gte: 7 } }, OrderBy: 'Amount', Include: ['Company', 'Contact'] }),
  'opportunities by company': (crm, how) => crm.opportunities.getMany({ ...how, Filters: { 'Company.CompanyName': 'Engines' } as never }),
  companies: (crm, how) => crm.companies.getMany(how),
  contacts: (crm, how) => crm.contacts.getMany({ ...how, Include: ['Company'] }),
  cases: (crm, how) => crm.cases.getMany(how),
  'cases with a description': (crm, how) => crm.cases.getMany({ ...how, Filters: { Description: { ne: null } } }),
  campaigns: (crm, how) => crm.campaigns.getMany(how),
  'custom objects': (crm, how) => crm.customObjects.getMany({ ...how, Filters: { ObjectName: 'Boat', Hull: { gt: 7 } } }),
  'a summary of leads': (crm, how) => crm.leads.getSummary(how),
  'a summary of some leads': (crm, how) => crm.leads.getSummary({ ...how, Filters: { Status: 'Open' } }),
  'a summary of opportunities': (crm, how) => crm.opportunities.getSummary(how),
  'a summary of cases': (crm, how) => crm.cases.getSummary(how),
}

describe.each(PLACES)('the mirror of %s', (_name, place) => {
  test('answers as the CRM itself does', async () => {
    const { crm } = await filled(place)
    for (const [name, read] of Object.entries(READS)) {
      const [mirrored, direct] = await both((how) => read(crm, how))
      expect(mirrored, name).toEqual(direct)
    }
    const { Records } = await crm.leads.getMany({ Filters: { LastName: 'Hopper' } })
    const [mirrored, direct] = await both((how) => crm.leads.get({ ...how, LeadID: String(Records[0]?.LeadID) }))
    expect(mirrored).toEqual(direct)
  })

  test('is what lists, summaries and searches are read from, without a request, and pages go on', async () => {
    const { crm, simulator } = await filled(place)
    const before = await requests(simulator)
    expect(await crm.leads.getMany({})).toMatchObject({ AsOf: expect.any(String) })
    expect(await crm.leads.getSummary({})).toMatchObject({ AsOf: expect.any(String), Total: 4 })
    expect((await crm.search({ Text: 'umit elo' })).Records).toMatchObject([{ Record: { LastName: 'Ümit' } }])
    const first = await crm.leads.getMany({ Limit: 2, OrderBy: 'LastName' })
    const second = await crm.leads.getMany({ Limit: 2, OrderBy: 'LastName', Cursor: first.NextCursor })
    expect([...first.Records, ...second.Records].map(({ LastName }) => LastName)).toEqual(['Hopper', 'Lovelace', 'lamarr', 'Ümit'])
    expect(await requests(simulator)).toBe(before)
    const direct = await crm.leads.getMany({ Limit: 2, OrderBy: 'LastName', Cursor: first.NextCursor, Fresh: true })
    expect(undated(direct.Records)).toEqual(undated(second.Records))
  })

  test('shows own writes at once, and those of others after the next poll', async () => {
    const { crm, other, poll, simulator } = await filled(place)
    const names = async () => (await crm.leads.getMany({ OrderBy: 'LastName' })).Records.map(({ LastName }) => LastName)
    const { LeadID } = await crm.leads.create({ FirstName: 'K', LastName: 'Johnson' })
    expect(await names()).toEqual(['Hopper', 'Johnson', 'Lovelace', 'lamarr', 'Ümit'])
    await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'Vaughan' } })
    expect(await names()).toEqual(['Hopper', 'Lovelace', 'Vaughan', 'lamarr', 'Ümit'])
    await crm.leads.delete({ LeadID })
    expect(await names()).toEqual(['Hopper', 'Lovelace', 'lamarr', 'Ümit'])
    await other.write(1, (writer) => writer.create('Lead', { FirstName: 'M', LastName: 'Jackson', Status: 'Open' }))
    expect(await names()).not.toContain('Jackson')
    await simulator.advance(60_000)
    await poll()
    expect(await names()).toContain('Jackson')
  })

  test('shows each user what is theirs, also when their PlatformUserID is another', async () => {
    const { crm, other, poll, simulator, signIn, makePlatformUser } = await filled(place)
    const [one, two] = [await makePlatformUser?.('first'), await makePlatformUser?.('first')]
    const { UserID } = await crm.users.create({ Name: 'Grace', PlatformUserID: one as string })
    const { Key } = await crm.keys.create({ UserID, Scopes: ['read', 'write'] })
    const grace = signIn(Key as string)
    const seen = async () => (await grace.leads.getMany({})).Records.map(({ LastName, OwnerID }) => [LastName, OwnerID])
    expect(await seen()).toEqual([])
    const mine = await grace.leads.create({ FirstName: 'G', LastName: 'Own' })
    expect(mine.OwnerID).toBe(UserID)
    expect(await seen()).toEqual([['Own', UserID]])
    expect(await grace.leads.getSummary({})).toMatchObject({ Total: 1, ByOwner: [{ UserID, Count: 1 }] })
    expect((await grace.search({ Text: 'own' })).Records).toHaveLength(1)
    expect((await grace.search({ Text: 'hopper' })).Records).toHaveLength(0)
    expect((await crm.leads.getMany({ Filters: { OwnerID: UserID } })).Records).toHaveLength(1)
    await crm.users.update({ UserID, FieldsToUpdate: { PlatformUserID: two as string } })
    expect(await seen()).toEqual([])
    expect((await grace.leads.getSummary({})).Total).toBe(0)
    expect((await crm.leads.getMany({ Filters: { OwnerID: UserID } })).Records).toHaveLength(0)
    expect((await crm.leads.getMany({ Filters: { LastName: 'Own' } })).Records).toMatchObject([{ OwnerID: one }])
    expect((await crm.leads.getMany({ Filters: { OwnerID: one as string } })).Records).toHaveLength(1)

    // What happens from now on is for the user who has become its owner.
    const ada = await crm.users.create({ Name: 'Ada', PlatformUserID: one as string })
    const { Key: hers } = await crm.keys.create({ UserID: ada.UserID, Scopes: ['read'] })
    await other.write(1, (writer) => writer.update('Lead', mine.LeadID, { FirstName: 'Changed' }))
    await simulator.advance(60_000)
    await poll()
    const told = async (by: Client) => (await by.events.getMany({ Limit: 1000 })).Events.filter(({ RecordID }) => RecordID === mine.LeadID).length
    expect(await told(grace)).toBe(0)
    expect(await told(signIn(hers as string))).toBe(2)
  })

  test('goes on while the CRM does not answer', async () => {
    const { crm, simulator } = await filled(place)
    const { AsOf } = await crm.leads.getMany({})
    simulator.faults.add('error=1')
    expect(await crm.leads.getMany({ Limit: LIMITS.defaultPage })).toMatchObject({ AsOf })
    expect(await crm.leads.getSummary({})).toMatchObject({ Total: 4 })
    expect((await crm.customObjects.getMany({})).Records).toHaveLength(1)
  })
})
