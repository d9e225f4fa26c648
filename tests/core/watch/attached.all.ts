import { describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import type { Crm } from '../../support/crms.ts'
import { watchedAccount } from './account.ts'

const QUARTER_MS = 15 * 60_000
const ATTACHED = ['Note', 'Comment', 'Membership']

/** An account with a lead, a case and a campaign, of which a mirror was made. */
async function open(name: string, crm: Crm, { onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const account = await watchedAccount(name, crm, onTestFinished)
  const { other, simulator } = account
  const create = (type: string, record: StoredRecord, on?: string) => other.write(1, (writer) => writer.create(type, record, on))
  const remove = (type: string, id: string) => other.write(1, (writer) => writer.delete(type, id))
  const LeadID = (await create('Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' })).LeadID as string
  const CaseID = (await create('Case', { Subject: 'Broken', Description: 'It is', Status: 'New' })).CaseID as string
  const CampaignID = (await create('Campaign', { CampaignName: 'Fair' })).CampaignID as string
  const note = async (Note: string, RecordID = LeadID, on = 'Lead') => (await create('Note', { RecordID, Note }, on)).NoteID as string
  const comment = async (Comment: string) => (await create('Comment', { CaseID, Comment, Publish: false }, 'Case')).CommentID as string
  const join = () => create('Membership', { MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID })

  /** The events of a poll, and of another one that finds the same. */
  async function news() {
    const cursor = await account.cursor()
    await simulator.advance(10_000)
    await account.poll()
    await account.poll()
    return account.events(cursor)
  }
  const types = async () => (await news()).map(({ Type, RecordID, Source }) => `${Type} ${RecordID} ${Source}`)
  return { ...account, create, remove, LeadID, CaseID, CampaignID, note, comment, join, news, types }
}

type Opened = Awaited<ReturnType<typeof open>>

/** What the account and the mirror answer of a record: its totals, and what is attached to it. */
async function answersOf(account: Opened, type: string, id: string, child: string, field: string) {
  const where = [{ field, family: 'text', operator: 'eq', value: id } as const]
  const query = { where, order: { field: 'CreatedDate', descending: true }, limit: 10, on: type }
  const answers = []
  for (const reader of await account.readers()) {
    const found = await reader.getWithTotals(type, id)
    const { records, more } = await reader.find(child, query)
    answers.push({ totals: found?.totals, more, records: records.map(({ AuthorID: _author, ...record }) => record) })
  }
  return answers
}

describe.each(ALL_CRMS)('notes, comments and memberships of %s', (name, crm) => {
  test('are in the mirror at first, and nothing is announced', async (context) => {
    const account = await open(name, crm, context)
    const { LeadID, CaseID, note, comment, join, types } = account
    await note('called')
    await note('called again')
    await comment('Which?')
    await join()
    expect(await types()).toEqual([])
    for (const [type, id, child, field] of [
      ['Lead', LeadID, 'Note', 'RecordID'],
      ['Case', CaseID, 'Comment', 'CaseID'],
      ['Lead', LeadID, 'Membership', 'LeadID'],
    ] as const) {
      const [theirs, ours] = await answersOf(account, type, id, child, field)
      expect(theirs?.records.length).toBe(child === 'Note' ? 2 : 1)
      expect(ours).toEqual(theirs)
    }
  })

  test('that others add and remove are announced, once', async (context) => {
    const { LeadID, CaseID, CampaignID, note, comment, join, remove, news, types } = await open(name, crm, context)
    await types()
    const NoteID = await note('called')
    expect(await news()).toMatchObject([
      { Type: 'lead.note_added', RecordID: LeadID, Source: 'crm', ChangedFields: ['Notes'], Record: { NoteID, Note: 'called', LeadID } },
    ])
    const CommentID = await comment('Which?')
    expect(await news()).toMatchObject([
      { Type: 'case.comment_added', RecordID: CaseID, Source: 'crm', Record: { CommentID, Comment: 'Which?', Publish: false, CaseID } },
    ])
    await join()
    expect(await news()).toMatchObject([{ Type: 'lead.added_to_campaign', RecordID: LeadID, Source: 'crm', Record: { LeadID, CampaignID } }])
    await remove('Note', NoteID)
    expect(await news()).toMatchObject([{ Type: 'lead.note_removed', RecordID: LeadID, Source: 'crm', Record: { NoteID, Note: 'called', LeadID } }])
    await remove('Comment', CommentID)
    expect(await types()).toEqual([`case.comment_removed ${CaseID} crm`])
    await remove('Membership', `${LeadID}:${CampaignID}`)
    expect(await types()).toEqual([`lead.removed_from_campaign ${LeadID} crm`])
  })

  test('that were added and removed through the connector are not announced again', async (context) => {
    const account = await open(name, crm, context)
    const { client, LeadID, CaseID, CampaignID, types, cursor, events } = account
    await types()
    const since = await cursor()
    await client.leads.addNote({ LeadID, Note: 'called' })
    await client.cases.addComment({ CaseID, Comment: 'Which?' })
    await client.leads.addToCampaign({ LeadID, CampaignID })
    const added = await events(since)
    expect(await types()).toEqual([])
    expect((await answersOf(account, 'Lead', LeadID, 'Note', 'RecordID'))[1]).toMatchObject({
      totals: { Notes: 1, Campaigns: 1 },
      records: [{ Note: 'called' }],
    })
    for (const { ChangeID } of added) await client.changes.undo({ ChangeID })
    expect(await types()).toEqual([])
    expect((await answersOf(account, 'Lead', LeadID, 'Note', 'RecordID'))[1]).toMatchObject({ totals: { Notes: 0, Campaigns: 0 }, records: [] })
    expect((await events(since)).map(({ Source }) => Source)).toEqual(Array(6).fill('api'))
  })

  test('of a record that the mirror does not know yet are announced after it', async (context) => {
    const { client, create, types, cursor, events } = await open(name, crm, context)
    await types()
    const since = await cursor()
    const LeadID = (await create('Lead', { FirstName: 'Grace', LastName: 'Hopper', Status: 'Open' })).LeadID as string
    await client.leads.addNote({ LeadID, Note: 'called' })
    expect(await types()).toEqual([])
    expect((await events(since)).map(({ Type, RecordID, Source }) => [Type, RecordID, Source])).toEqual([
      ['lead.created', LeadID, 'crm'],
      ['lead.note_added', LeadID, 'api'],
    ])
  })

  test('with another text are removed and added', async (context) => {
    const { people, LeadID, note, news, types } = await open(name, crm, context)
    const NoteID = await note('called')
    await types()
    expect(await people.rewrite(NoteID, 'wrote')).toBe(true)
    expect(await news()).toMatchObject([
      { Type: 'lead.note_removed', RecordID: LeadID, Record: { NoteID, Note: 'called' } },
      { Type: 'lead.note_added', RecordID: LeadID, Record: { NoteID, Note: 'wrote' } },
    ])
  })

  test('cost at most two requests a type where nothing has changed', async (context) => {
    const requests: string[] = []
    const simulate: Crm['simulate'] = (world) => {
      const simulated = crm.simulate(world)
      return {
        ...simulated,
        answer(request) {
          requests.push(`${request.method} ${request.path}`)
          return simulated.answer(request)
        },
      }
    }
    const account = await open(name, { ...crm, simulate }, context)
    await account.note('called')
    await account.comment('Which?')
    await account.join()
    await account.types()
    await account.simulator.advance(QUARTER_MS)
    await account.poll()
    for (const type of ATTACHED) {
      requests.length = 0
      await account.look(type)
      expect(requests.length, `${type}: ${requests.join('\n')}`).toBeLessThanOrEqual(2)
    }
  })

  test('go with their record, and move to the one that it is merged into', async (context) => {
    const account = await open(name, crm, context)
    const { create, people, simulator, LeadID, note, join, remove, types } = account
    const lost = (await create('Lead', { FirstName: 'Augusta', LastName: 'King', Status: 'Open' })).LeadID as string
    const NoteID = await note('called', lost)
    await join()
    await types()
    await simulator.advance(QUARTER_MS)
    await types()
    expect(await people.merge('Lead', LeadID, lost)).toBe(true)
    expect((await types()).filter((told) => !told.startsWith('lead.updated'))).toEqual([`lead.deleted ${lost} crm`, `lead.note_added ${LeadID} crm`])
    const [theirs, ours] = await answersOf(account, 'Lead', LeadID, 'Note', 'RecordID')
    expect(ours).toEqual(theirs)
    expect(ours?.records).toMatchObject([{ NoteID }])
    await simulator.advance(QUARTER_MS)
    await remove('Lead', LeadID)
    expect(await types()).toEqual([`lead.deleted ${LeadID} crm`])
    expect(await account.rows('Membership')).toEqual([])
    expect(await people.restore('Lead', LeadID)).toBe(true)
    expect((await types()).sort()).toEqual([`lead.added_to_campaign ${LeadID} crm`, `lead.created ${LeadID} crm`, `lead.note_added ${LeadID} crm`])
  })

  test('that were removed before their record was deleted for a while are announced', async (context) => {
    const account = await open(name, crm, context)
    const { LeadID, note, remove, people, simulator, look, cursor, events, types } = account
    const NoteID = await note('called')
    await types()
    await simulator.advance(QUARTER_MS)
    await types()
    const since = await cursor()
    await remove('Note', NoteID)
    await remove('Lead', LeadID)
    await simulator.advance(10_000)
    await look('Note')
    expect(await events(since)).toEqual([])
    expect(await people.restore('Lead', LeadID)).toBe(true)
    expect(await types()).toEqual([`lead.note_removed ${LeadID} crm`])
  })

  test('go with their campaign, which is announced alone', async (context) => {
    const account = await open(name, crm, context)
    const { CampaignID, join, remove, types } = account
    await join()
    await types()
    expect(await account.rows('Membership')).toHaveLength(1)
    await remove('Campaign', CampaignID)
    expect(await types()).toEqual([`campaign.deleted ${CampaignID} crm`])
    expect(await account.rows('Membership')).toEqual([])
  })

  test('are compared when the mirror is verified, and erased with it', async (context) => {
    const account = await open(name, crm, context)
    const { LeadID, note, comment, join, verify, spoil, types } = account
    const kept = await note('called')
    await comment('Which?')
    await join()
    await types()
    await spoil('Note', kept)
    const verified = (await verify()).filter(({ type }) => ATTACHED.includes(type))
    expect(verified.map(({ type, compared, repaired }) => [type, compared, repaired])).toEqual([
      ['Note', 1, 1],
      ['Comment', 1, 0],
      ['Membership', 1, 0],
    ])
    const [theirs, ours] = await answersOf(account, 'Lead', LeadID, 'Note', 'RecordID')
    expect(ours).toEqual(theirs)
    await account.eraseMirror()
    for (const type of ATTACHED) expect(await account.rows(type)).toEqual([])
  })
})

/** How a note is attached to a further record, by the CRMs whose notes can belong to several. */
const SHARED = {
  hubspot: { crm: HUBSPOT, path: (note: string, company: string) => `PUT /crm/v4/objects/notes/${note}/associations/default/companies/${company}` },
  salesforce: {
    crm: { ...SALESFORCE, options: { ...SALESFORCE.options, notes: 'ContentNote' } },
    path: () => 'POST /services/data/v62.0/sobjects/ContentDocumentLink',
  },
}

test.each(Object.entries(SHARED))('a note of two records of %s is announced for both', async (name, { crm, path }) => {
  const { create, remove, simulator, LeadID, note, news, types } = await open(name, crm, { onTestFinished })
  const CompanyID = (await create('Company', { CompanyName: 'Navy' })).CompanyID as string
  await types()
  const NoteID = await note('called')
  const [method, address] = path(NoteID, CompanyID).split(' ')
  const headers = { ...(await crm.headers(simulator.url)), 'content-type': 'application/json' }
  const body = method === 'POST' ? { body: JSON.stringify({ ContentDocumentId: NoteID, LinkedEntityId: CompanyID, ShareType: 'V' }) } : {}
  expect((await fetch(`${simulator.url}${address}`, { method: String(method), headers, ...body })).ok).toBe(true)
  const added = await news()
  expect(added.map(({ Type, RecordID }) => `${Type} ${RecordID}`).sort()).toEqual([`company.note_added ${CompanyID}`, `lead.note_added ${LeadID}`])
  for (const { Record } of added) expect(Record).toMatchObject({ NoteID, Note: 'called' })
  await remove('Note', NoteID)
  expect((await types()).sort()).toEqual([`company.note_removed ${CompanyID} crm`, `lead.note_removed ${LeadID} crm`])
})
