import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { type Account, openAccount } from './account.ts'

const eq = (field: string, value: string): Condition => ({ field, family: 'text', operator: 'eq', value })

describe('what hangs on records of EspoCRM', () => {
  let account: Account
  beforeAll(async () => {
    account = await openAccount()
  })
  afterAll(() => account.close())

  const made = async (type: string, record: StoredRecord, on?: string) => {
    const [answer] = await account.driver.create(type, [record], on)
    if (answer instanceof Error) throw answer
    return answer as StoredRecord
  }
  const lead = async () => (await made('Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' })).LeadID as string
  const campaign = async (CampaignName: string) => (await made('Campaign', { CampaignName, Status: 'Planned' })).CampaignID as string
  const membership = (LeadID: string, CampaignID: string) => ({ MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID })

  test('a note is a post in the stream, by whoever the service is there', async () => {
    const id = await lead()
    const note = await made('Note', { RecordID: id, Note: '@ada <b>called</b>\n😀', AuthorID: 'somebody' }, 'Lead')
    expect(note).toMatchObject({ RecordID: id, Note: '@ada <b>called</b>\n😀', AuthorID: expect.stringMatching(/^[0-9a-f]{17}$/) })
    expect(await account.ask('GET', `Note/${note.NoteID}`)).toMatchObject({ type: 'Post', parentType: 'Lead', parentId: id })
    const { records } = await account.driver.find('Note', { on: 'Lead', where: [eq('RecordID', id)], size: 10 })
    expect(records).toEqual([note])
    expect(account.driver.supports.authors).toEqual([])
  })

  test('notes are counted and paged, and nothing else of the stream is among them', async () => {
    const id = await lead()
    for (let at = 0; at < 7; at++) await made('Note', { RecordID: id, Note: `Note ${at}` }, 'Lead')
    await account.driver.update('Lead', [{ id, changes: { Status: 'Dead' }, before: {} }])
    expect(await account.driver.count('Note', { on: 'Lead', where: [eq('RecordID', id)] })).toBe(7)
    const texts: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await account.driver.find('Note', { on: 'Lead', where: [eq('RecordID', id)], size: 3, ...(cursor !== undefined && { cursor }) })
      texts.push(...page.records.map(({ Note }) => Note))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(texts).toEqual([6, 5, 4, 3, 2, 1, 0].map((at) => `Note ${at}`))
  })

  test('a comment is internal unless it is published', async () => {
    const { CaseID } = await made('Case', { Subject: 'Printer', Description: 'It burns', Status: 'New' })
    const internal = await made('Comment', { CaseID: CaseID as string, Comment: 'between us', Publish: false }, 'Case')
    const published = await made('Comment', { CaseID: CaseID as string, Comment: 'to the customer', Publish: true }, 'Case')
    expect([internal.Publish, published.Publish]).toEqual([false, true])
    expect(await account.ask('GET', `Note/${internal.CommentID}`)).toMatchObject({ isInternal: true })
    const where = [eq('CaseID', CaseID as string), { field: 'Publish', family: 'boolean', operator: 'eq', value: true } as const]
    expect((await account.driver.find('Comment', { on: 'Case', where, size: 10 })).records).toEqual([published])
    expect(await account.driver.get('Comment', [internal.CommentID as string])).toEqual([internal])
  })

  test('a lead that has come into a campaign, which cannot be read, is not taken for refused', async () => {
    const [ada, autumn] = [await lead(), await campaign('Unread')]
    account.simulator.faults.add('error=1:GET /api/v1/Lead')
    const [refused] = await account.driver.create('Membership', [membership(ada, autumn)])
    account.simulator.faults.clear()
    expect(refused).toMatchObject({ code: 'outcome_unknown' })
    expect(await account.driver.get('Membership', [`${ada}:${autumn}`])).toHaveLength(1)
  })

  test('a note on what is not there is refused as that', async () => {
    const refused = await account.driver.create('Note', [{ RecordID: 'doesnotexist12345', Note: 'x' }], 'Lead')
    expect(refused).toMatchObject([{ code: 'not_found' }])
    expect((await account.driver.find('Note', { on: 'Lead', where: [eq('RecordID', 'doesnotexist12345')], size: 10 })).records).toEqual([])
    expect(await account.driver.count('Note', { on: 'Lead', where: [eq('RecordID', "' or 1")] })).toBe(0)
  })

  test('a lead is in any number of campaigns, and in each once', async () => {
    const [ada, grace] = [await lead(), await lead()]
    const [autumn, winter] = [await campaign('Autumn <2026>'.replace(/[<>]/g, '')), await campaign('Winter')]
    const first = await made('Membership', membership(ada, autumn))
    expect(first).toEqual({ ...membership(ada, autumn), Status: null, ExternalID: null, CreatedDate: expect.stringMatching(/\.000Z$/) })
    expect(await made('Membership', membership(ada, autumn))).toEqual(first)
    await made('Membership', membership(ada, winter))
    await made('Membership', membership(grace, winter))
    const of = async (field: string, id: string) => (await account.driver.find('Membership', { where: [eq(field, id)], size: 10 })).records
    expect((await of('LeadID', ada)).map(({ CampaignID }) => CampaignID).sort()).toEqual([autumn, winter].sort())
    expect((await of('CampaignID', winter)).map(({ LeadID }) => LeadID).sort()).toEqual([ada, grace].sort())
    expect([await account.driver.count('Membership', { where: [eq('LeadID', ada)] }), await account.driver.get('Membership', [`${ada}:${autumn}`])]).toEqual([
      2,
      [first],
    ])
    expect(await account.ask<{ list: object[] }>('GET', `Campaign/${winter}/targetLists`)).toMatchObject({ total: 1, list: [{ name: 'Winter (members)' }] })
    expect(await account.driver.delete('Membership', [`${ada}:${winter}`])).toEqual([true])
    expect(await account.driver.delete('Membership', [`${ada}:${winter}`])).toEqual([false])
    expect((await of('LeadID', ada)).map(({ CampaignID }) => CampaignID)).toEqual([autumn])
    expect((await of('CampaignID', winter)).map(({ LeadID }) => LeadID)).toEqual([grace])
  })

  test('a list that people made for the campaign is theirs', async () => {
    const [ada, autumn] = [await lead(), await campaign('Spring')]
    const { id } = await account.ask('POST', 'TargetList', { name: 'Newsletter', campaignsIds: [autumn] })
    await account.ask('POST', `TargetList/${id}/leads`, { id: ada })
    expect(await account.driver.get('Membership', [`${ada}:${autumn}`])).toEqual([])
    await made('Membership', membership(ada, autumn))
    expect(await account.driver.delete('Membership', [`${ada}:${autumn}`])).toEqual([true])
    expect(await account.ask('GET', `TargetList/${id}/leads`)).toMatchObject({ total: 1 })
  })

  test('many who come at once share one list, and are paged', async () => {
    const fair = await campaign('Fair')
    const leads = await Promise.all(Array.from({ length: 12 }, lead))
    await Promise.all(leads.map((id) => made('Membership', membership(id, fair))))
    expect(await account.ask('GET', `Campaign/${fair}/targetLists`)).toMatchObject({ total: 1 })
    const first = await account.driver.find('Membership', { where: [eq('CampaignID', fair)], size: 5 })
    expect([first.records.length, first.cursor !== undefined]).toEqual([5, true])
    expect(await account.driver.count('Membership', { where: [eq('CampaignID', fair)] })).toBe(12)
  })

  test('neither a lead nor a campaign that is not there makes a member', async () => {
    const [ada, fair] = [await lead(), await campaign('Nobody')]
    expect(await account.driver.create('Membership', [membership('doesnotexist12345', fair)])).toMatchObject([{ code: 'not_found' }])
    expect(await account.driver.create('Membership', [membership(ada, 'doesnotexist12345')])).toMatchObject([{ code: 'not_found' }])
    expect(await account.driver.get('Membership', ['x', 'a:b', "' or 1:2"])).toEqual([])
  })
})
