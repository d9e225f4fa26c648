import { describe, expect, onTestFinished, test } from 'vitest'
import type { Table } from '../../../../src/platforms/crms/engine/tables.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import type { Condition } from '../../../../src/platforms/platform.ts'
import { ADA, all, bodyOf, good, HOSTILE, openAccount, startAccount } from './open-account.ts'

const OWNER = '71000001'
const at = (field: string, value: string): Condition => ({ field, family: 'text', operator: 'eq', value })
const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }

async function made(driver: Awaited<ReturnType<typeof openAccount>>['driver'], type: string, draft: object): Promise<string> {
  const [record] = good(await driver.create(type, [draft as never])) as { [id: string]: string }[]
  return record?.[`${type}ID`] as string
}

describe('notes and comments', () => {
  test.for([
    ['Lead', ADA, 'contacts'],
    ['Opportunity', DEAL, 'deals'],
  ] as const)('notes hang on a %s', async ([type, draft, object]) => {
    const { driver, sent } = await openAccount()
    const id = await made(driver, type, draft)
    const notes = HOSTILE.map((Note) => ({ RecordID: id, Note: `${Note} `.trim(), AuthorID: OWNER }))
    const answers = good(await driver.create('Note', notes, type)) as { NoteID: string }[]
    expect(answers.map(({ NoteID: _, ...rest }) => rest)).toEqual(notes.map((note) => ({ ...note, CreatedDate: expect.any(String) })))
    const where = [at('RecordID', id)]
    expect(driver.narrows('Note', where[0] as Condition)).toBe('exactly')
    const found = await all(driver, 'Note', { where, on: type })
    expect(found.map(({ Note }) => Note).sort()).toEqual(notes.map(({ Note }) => Note).sort())
    expect(found.every(({ AuthorID, RecordID }) => AuthorID === OWNER && RecordID === id)).toBe(true)
    expect(await driver.count('Note', { where, on: type })).toBe(notes.length)
    expect(await all(driver, 'Note', { where: [at('RecordID', '999')], on: type })).toEqual([])
    expect(await driver.count('Note', { where: [at('RecordID', 'x')], on: type })).toBe(0)
    // A note is made with what it belongs to, so that it is never without.
    const { inputs } = bodyOf(sent.find(({ path }) => path.endsWith('notes/batch/create')) as never)
    expect(inputs[0]).toMatchObject({
      associations: [{ to: { id }, types: [{ associationCategory: 'HUBSPOT_DEFINED' }] }],
      properties: { hs_timestamp: expect.any(String) },
    })
    expect(sent.some(({ path }) => path === `/crm/objects/2026-03/${object}/${id}/associations/notes`)).toBe(true)
    expect(await driver.delete('Note', [answers[0]?.NoteID as string])).toEqual([true])
    expect(await driver.count('Note', { where, on: type })).toBe(notes.length - 1)
  })

  test('many notes are read page by page', async () => {
    const { driver } = await openAccount()
    const id = await made(driver, 'Lead', ADA)
    good(
      await driver.create(
        'Note',
        Array.from({ length: 130 }, (_, i) => ({ RecordID: id, Note: `N${i}` })),
        'Lead',
      ),
    )
    const found = await all(driver, 'Note', { where: [at('RecordID', id)], on: 'Lead' })
    expect(new Set(found.map(({ Note }) => Note)).size).toBe(130)
    expect(found.every(({ AuthorID }) => AuthorID === 'nobody')).toBe(true)
  })

  test('comments hang on a case, and nobody outside sees them', async () => {
    const { driver } = await openAccount()
    const id = await made(driver, 'Case', { Subject: 'Jam', Description: 'Stuck', Status: 'New' })
    expect(driver.supports.fields.Comment?.Publish).toEqual({ absent: true })
    const [comment] = good(await driver.create('Comment', [{ CaseID: id, Comment: 'Mended.\n<b>Really</b>', Publish: false, AuthorID: OWNER }], 'Case'))
    expect(comment).toMatchObject({ CaseID: id, Comment: 'Mended.\n<b>Really</b>', Publish: false, AuthorID: OWNER })
    expect(await all(driver, 'Comment', { where: [at('CaseID', id)], on: 'Case' })).toEqual([comment])
  })

  test('a property of the account can say whether a comment is published', async () => {
    const { opening, simulator } = await startAccount({
      tables: (tables) => ({
        ...tables,
        Comment: { ...(tables.Comment as Table), fields: { ...tables.Comment?.fields, Publish: { name: 'shown_outside', kind: 'boolean' } } },
      }),
    })
    const property = { name: 'shown_outside', label: 'Shown outside', type: 'bool', fieldType: 'booleancheckbox', groupName: 'engagement' }
    const headers = { authorization: 'Bearer simulator', 'content-type': 'application/json' }
    expect((await fetch(`${simulator.url}/crm/properties/2026-03/notes`, { method: 'POST', headers, body: JSON.stringify(property) })).status).toBe(201)
    const driver = await hubspot.open(opening)
    onTestFinished(() => driver.close())
    const id = await made(driver, 'Case', { Subject: 'Jam', Description: 'Stuck', Status: 'New' })
    good(
      await driver.create(
        'Comment',
        [
          { CaseID: id, Comment: 'a', Publish: true },
          { CaseID: id, Comment: 'b', Publish: false },
          { CaseID: id, Comment: 'c' },
        ],
        'Case',
      ),
    )
    const found = await all(driver, 'Comment', { where: [at('CaseID', id)], on: 'Case' })
    expect(Object.fromEntries(found.map(({ Comment, Publish }) => [Comment, Publish]))).toEqual({ a: true, b: false, c: false })
  })

  test('a text that is too long as HTML is refused before anything is sent', async () => {
    const { driver, sent } = await openAccount()
    const id = await made(driver, 'Lead', ADA)
    const answers = await driver.create('Note', [{ RecordID: id, Note: '&'.repeat(32_000) }], 'Lead')
    expect(answers).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'Note', code: 'length' }] }])
    expect(sent.filter(({ path }) => path.includes('/objects/notes'))).toEqual([])
    good(await driver.create('Note', [{ RecordID: id, Note: 'é'.repeat(32_000) }], 'Lead'))
  })
})

describe('campaigns', () => {
  test('a campaign is a list that leads are put into', async () => {
    const { driver, sent } = await openAccount()
    const [campaign] = good(await driver.create('Campaign', [{ CampaignName: 'Spring & "fair"/?' }])) as { CampaignID: string }[]
    const id = campaign?.CampaignID as string
    expect(campaign).toEqual({
      CampaignID: id,
      CampaignName: 'Spring & "fair"/?',
      Status: null,
      OwnerID: 'nobody',
      CreatedDate: expect.any(String),
      UpdatedDate: expect.any(String),
    })
    expect(driver.supports.fields.Campaign?.Status).toEqual({ absent: true })
    expect(sent.filter(({ method, path }) => method === 'POST' && path.startsWith('/crm/lists/2026-03')).map(bodyOf)).toEqual([
      { name: 'Spring & "fair"/?', objectTypeId: '0-1', processingType: 'MANUAL' },
    ])
    expect(await driver.get('Campaign', [id, '999', 'x'])).toEqual([campaign])
    expect(await all(driver, 'Campaign')).toEqual([campaign])
    expect(await driver.update('Campaign', [{ id, changes: { CampaignName: 'Autumn/é' }, before: campaign as never }])).toMatchObject([
      { CampaignName: 'Autumn/é' },
    ])
    expect(await driver.create('Campaign', [{ CampaignName: 'autumn/é' }])).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'CampaignName' }] }])
    expect(await driver.delete('Campaign', [id, '999'])).toEqual([true, false])
    expect(await driver.get('Campaign', [id])).toEqual([])
    expect(await all(driver, 'Campaign')).toEqual([])
  })

  test('leads join and leave, and joining twice changes nothing', async () => {
    const { driver } = await openAccount()
    const lead = await made(driver, 'Lead', ADA)
    const other = await made(driver, 'Lead', { FirstName: 'Grace', LastName: 'Hopper' })
    const [spring, autumn] = (good(await driver.create('Campaign', [{ CampaignName: 'Spring' }, { CampaignName: 'Autumn' }])) as { CampaignID: string }[]).map(
      ({ CampaignID }) => CampaignID,
    ) as [string, string]
    const draft = (LeadID: string, CampaignID: string) => ({ MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID })
    const joined = good(await driver.create('Membership', [draft(lead, spring), draft(other, spring), draft(lead, autumn)]))
    expect(joined[0]).toEqual({ ...draft(lead, spring), Status: null, ExternalID: null, CreatedDate: expect.any(String) })
    expect(good(await driver.create('Membership', [draft(lead, spring)]))).toEqual([joined[0]])
    expect(await driver.get('Membership', [`${lead}:${spring}`, `${lead}:999`, 'x', `${lead}:${spring}:1`])).toEqual([joined[0]])
    const members = async (...where: Condition[]) => (await all(driver, 'Membership', { where })).map(({ MembershipID }) => MembershipID).sort()
    expect(await members(at('LeadID', lead))).toEqual([`${lead}:${spring}`, `${lead}:${autumn}`].sort())
    expect(await members(at('CampaignID', spring))).toEqual([`${lead}:${spring}`, `${other}:${spring}`].sort())
    expect(await members(at('CampaignID', spring), at('LeadID', other))).toEqual([`${other}:${spring}`])
    expect(await driver.count('Membership', { where: [at('LeadID', lead)] })).toBe(2)
    expect(await driver.delete('Membership', [`${lead}:${spring}`, `${other}:${autumn}`])).toEqual([true, false])
    expect(await members(at('LeadID', lead))).toEqual([`${lead}:${autumn}`])
    expect(await driver.create('Membership', [draft('999', spring)])).toMatchObject([
      { code: 'platform_rejected', errors: [{ field: 'LeadID', code: 'not_found' }] },
    ])
  })
})
