import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lead } from '../../src/contract/records/lead.ts'
import { TOOLS } from '../../src/transports/mcp/tools.ts'
import { type Talk, talkTo } from '../support/mcp.ts'
import { parseAnswer } from '../support/parse-answer.ts'
import { startServer, type TestServer } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

const VALUES: { readonly [kind: string]: unknown } = { email: 'ada@example.com', phone: '123', money: 12.5, integer: 3, boolean: true }

/** A value in each optional field of a lead. */
const EVERY_FIELD = Object.fromEntries(
  Object.entries(Lead.fields).flatMap(([name, { kind, access, required }]) => (required || access !== 'write' ? [] : [[name, VALUES[kind] ?? name]])),
)

let server: TestServer
let talk: Talk

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, { atEnd: afterAll })
})
afterAll(() => server.close())

const records = (says: { readonly [member: string]: unknown }) => says.Records as { readonly [field: string]: unknown }[]

describe('reads', () => {
  test('answer 20 records, say that more follow, and go on from there', async () => {
    for (let i = 0; i < 25; i++) await server.call('create_campaign', { CampaignName: `Campaign ${i}` })
    const first = await talk.call('get_many_campaigns')
    expect(records(first.says)).toHaveLength(20)
    expect(first.says.LeftOut).toMatch(/^what follows \(pass NextCursor as Cursor\)/)
    expect(first.text).toContain(`NextCursor: "${first.says.NextCursor}"`)
    const rest = await talk.call('get_many_campaigns', { Cursor: first.says.NextCursor })
    expect(records(rest.says)).toHaveLength(5)
    expect(rest.says).not.toHaveProperty('NextCursor')
    expect(rest.says.LeftOut ?? '').not.toMatch(/follows/)
    const ids = [...records(first.says), ...records(rest.says)].map(({ CampaignID }) => CampaignID)
    expect(new Set(ids).size).toBe(25)
    expect(records((await talk.call('get_many_campaigns', { Limit: 3 })).says)).toHaveLength(3)
  })

  test('leave out what has no value, and say so', async () => {
    const { LeadID } = await server.call('create_a_lead', ADA)
    const { says, text } = await talk.call('get_leads', { LeadID })
    expect(says).toMatchObject({ LeadID, ...ADA, Status: 'Open', Revision: 1, NotesTotal: 0 })
    expect(says).not.toHaveProperty('Email')
    expect(says.LeftOut).toBe('fields without a value (Detail: "full" shows all)')
    expect(text).toContain('FirstName: "Ada"\nLastName: "Lovelace"')
  })

  test('name the budget that all of it needs, where Detail alone would not show it', async () => {
    const { CaseID } = await server.call('create_case', { Subject: 'Engine jams', Description: 'word '.repeat(5000) })
    for (const [tool, input] of [
      ['get_case', { CaseID }],
      ['get_many_cases', { Filters: { CaseID } }],
    ] as const) {
      const { LeftOut } = (await talk.call(tool, input)).says
      const [, budget] = /\(Detail: "full" with Budget: (\d+) shows all\)$/.exec(LeftOut as string) ?? []
      const { says } = await talk.call(tool, { ...input, Detail: 'full', Budget: Number(budget) })
      expect([tool, JSON.stringify(says).includes('word '.repeat(5000).trim())]).toEqual([tool, true])
      expect(says).not.toHaveProperty('LeftOut')
    }
  })

  test('have the fields that were selected, without a value too', async () => {
    const { LeadID } = await server.call('create_a_lead', { ...ADA, LastName: 'Selected' })
    const input = { Filters: { LeadID: LeadID as string }, Select: ['LastName', 'Phone', 'Rating'] }
    const { says, text } = await talk.call('get_many_leads', input)
    expect(says).toEqual({ Records: [{ LeadID, LastName: 'Selected', Phone: null, Rating: null }] })
    expect(text).toContain(`- LeadID: "${LeadID}", LastName: "Selected", Phone: null, Rating: null`)
    const batch = await talk.call('batch', { Operations: [{ Operation: 'get_many_leads', Input: input }] })
    expect(batch.says.Results).toMatchObject([{ Records: [{ Phone: null, Rating: null }] }])
  })

  test('of a write say where to read what was written, and never invite to write it again', async () => {
    const { says, text } = await talk.call('create_a_lead', { ...ADA, LastName: 'Read' })
    expect(text).toMatch(/\. get_leads shows the whole record\.$/)
    const deleted = await talk.call('delete_lead', { LeadID: says.LeadID })
    expect([text, deleted.text].join()).not.toMatch(/Detail|delete_lead shows/)
  })

  test('say that nothing was left out where nothing was', async () => {
    const { CampaignID } = await server.call('create_campaign', { CampaignName: 'Whole', Status: 'Active' })
    expect((await talk.call('get_many_campaigns', { Filters: { CampaignID: 'nothing' } })).says).toEqual({ Records: [] })
    const { says } = await talk.call('get_many_campaigns', { Filters: { CampaignID }, Select: ['CampaignName', 'Status'] })
    expect(says).toEqual({ Records: [{ CampaignID, CampaignName: 'Whole', Status: 'Active' }] })
  })

  test('show in the line of a record all that the structure has, with what Include and Select name', async () => {
    const { CompanyID } = await server.call('create_company', { CompanyName: 'Acme', Industry: 'Retail' })
    const deal = { OpportunityName: 'Engine', Stage: 'Won', CloseDate: '2026-12-31', Amount: 5, Probability: 50, Type: 'New', NextStep: 'Call' }
    const { OpportunityID } = await server.call('create_opportunity', { ...deal, CompanyID })
    const asked = { Filters: { OpportunityID } }
    const line = async (more: object) => (await talk.call('get_many_opportunities', { ...asked, ...more })).text.split('\n')[1]
    expect(await line({})).toMatch(/^- OpportunityID: "\w+", OpportunityName: "Engine", .*NextStep: "Call", .*CreatedDate: "[^"]+", .*Revision: 1$/)
    expect(await line({})).not.toMatch(/Acme/)
    expect(await line({ Include: ['Company'] })).toMatch(
      new RegExp(`Revision: 1, Company: \\{CompanyID: "${CompanyID}", CompanyName: "Acme", .*Industry: "Retail", .*\\}$`),
    )
    expect(await line({ Select: ['Revision', 'OwnerID'], Include: ['Company'] })).toMatch(
      /^- OpportunityID: "\w+", OwnerID: "\w+", Revision: 1, Company: \{.*CompanyName: "Acme"/,
    )
    expect(await line({ Include: ['Owner', 'Contact'] })).toMatch(/, Owner: \{UserID: "\w+", Name: "Admin", .*\}$/)
  })

  test('cut the longest texts of a record that does not fit, in text and structure alike, and say how to see them', async () => {
    const { LeadID } = await server.call('create_a_lead', { ...ADA, ...EVERY_FIELD })
    for (let i = 1; i <= 5; i++) await server.call('add_notes_to_leads', { LeadID, Note: `${i} `.repeat(900) })
    const { says, text } = await talk.call('get_leads', { LeadID })
    const [longest = 0, budget] =
      /^what is beyond (\d+) characters of Note \(Budget: (\d+) shows all\)$/
        .exec(says.LeftOut as string)
        ?.slice(1)
        .map(Number) ?? []
    for (const { Note } of says.Notes as { Note: string }[]) {
      expect(Note.slice(longest)).toBe(`… (${1800 - longest} more characters)`)
      expect(text).toContain(`${JSON.stringify(Note.slice(0, longest))}${Note.slice(longest)}`)
    }
    expect(says).toMatchObject({ ...ADA, ...EVERY_FIELD })
    const whole = await talk.call('get_leads', { LeadID, Budget: budget })
    expect((whole.says.Notes as { Note: string }[]).map(({ Note }) => Note.length)).toEqual([1800, 1800, 1800, 1800, 1800])
    expect(whole.says).not.toHaveProperty('LeftOut')
  })

  test('cut long texts, more of them in a list than on their own, and say so', async () => {
    const Description = 'All of it sticks. '.repeat(200)
    const { CaseID } = await server.call('create_case', { Subject: 'Engine jams', Description })
    const one = await talk.call('get_case', { CaseID })
    expect(one.says.Description).toBe(`${Description.slice(0, 2000)}… (1600 more characters)`)
    expect(one.says.LeftOut).toMatch(/what is beyond 2000 characters of Description/)
    const { says, text } = await talk.call('get_many_cases', { Filters: { CaseID } })
    expect(records(says)[0]?.Description).toBe(`${Description.slice(0, 500)}… (3100 more characters)`)
    expect(says.LeftOut).toMatch(/what is beyond 500 characters of Description/)
    expect(text).toContain(`Description: ${JSON.stringify(Description.slice(0, 500))}… (3100 more characters)`)
    expect(parseAnswer(text)).toEqual(says)
    const full = await talk.call('get_case', { CaseID, Detail: 'full' })
    expect(full.says.Description).toBe(Description)
  })

  test('mark a cut text outside of its quotes, so that no value poses as one', async () => {
    const posing = 'All of it sticks… (900 more characters)'
    const { CaseID } = await server.call('create_case', { Subject: 'Engine jams', Description: posing })
    const { says, text } = await talk.call('get_case', { CaseID })
    expect(text).toContain(`Description: ${JSON.stringify(posing)}`)
    expect([parseAnswer(text), says.Description]).toEqual([says, posing])
  })

  test('never cut a character in half', async () => {
    const { CaseID } = await server.call('create_case', { Subject: 'Notes', Description: `.${'𝄞'.repeat(1500)}` })
    const { says } = await talk.call('get_case', { CaseID, Budget: 20_000 })
    expect((says.Description as string).isWellFormed()).toBe(true)
    expect(says.Description).toMatch(/𝄞… \(1002 more characters\)$/u)
  })

  test('show the newest of what hangs on a record, with the tool that shows the rest', async () => {
    const { LeadID } = await server.call('create_a_lead', ADA)
    for (let i = 1; i <= 8; i++) await server.call('add_notes_to_leads', { LeadID, Note: `Note ${i}` })
    const { says } = await talk.call('get_leads', { LeadID })
    expect((says.Notes as { Note: string }[]).map(({ Note }) => Note)).toEqual(['Note 8', 'Note 7', 'Note 6', 'Note 5', 'Note 4'])
    expect(says.NotesTotal).toBe(8)
    expect(says.LeftOut).toMatch(/all but 5 of 8 Notes \(get_many_notes shows them page by page\)/)
  })

  test('show of a change what is another now, and of custom objects the values', async () => {
    const { LeadID } = await server.call('create_a_lead', ADA)
    await server.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Contacted' } })
    const [change] = records((await talk.call('get_many_changes', { Filters: { RecordID: LeadID } })).says)
    expect(Object.keys(change?.After as object)).toEqual(['Status', 'UpdatedDate', 'Revision'])
    expect(change).toMatchObject({ Before: { Status: 'Open', Revision: 1 }, After: { Status: 'Contacted', Revision: 2 } })
    await server.call('create_custom_object', { ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 12 } } })
    const boats = await talk.call('get_many_custom_objects', { Filters: { ObjectName: 'Boat', Hull: { gt: 10 } } })
    expect(records(boats.says)[0]).toMatchObject({ ObjectName: 'Boat', Values: { Hull: 12 } })
    expect(records(boats.says)[0]).not.toHaveProperty('Fields')
    expect(boats.says.LeftOut).toMatch(/the definitions in Fields, which describe shows/)
  })

  test('describe fields with a line each, and the operators of each type once', async () => {
    const { says } = await talk.call('describe', { RecordType: 'Opportunity' })
    const [type] = says.RecordTypes as { Fields: object }[]
    expect(type?.Fields).toMatchObject({ Amount: 'money', CloseDate: 'date; required', CreatedDate: 'timestamp; read-only' })
    expect(says.Operators).toMatchObject({ money: 'eq ne in gt gte lt lte', text: 'eq ne in contains startsWith' })
    const all = await talk.call('describe')
    expect(JSON.stringify(all.says).length).toBeLessThan(6000)
  })

  test('describe which fields a create takes, which only an update, and which neither', async () => {
    const { says } = await talk.call('describe')
    const fields = new Map((says.RecordTypes as { Name: string; Fields: Record<string, string> }[]).map(({ Name, Fields }) => [Name, Fields]))
    for (const operation of TOOLS) {
      const { record, verb, input } = operation
      const { properties, required = [] } = input as unknown as { properties: Record<string, { properties?: object }>; required?: string[] }
      for (const [name, said] of Object.entries(fields.get(record.name) ?? {})) {
        if (verb === 'create') expect([name, said.includes('required')]).toEqual([name, required.includes(name)])
        if (verb === 'create') expect([name, /read-only|only by update/.test(said)]).toEqual([name, !(name in properties)])
        if (verb === 'update') expect([name, /read-only|only by create/.test(said)]).toEqual([name, !(name in (properties.FieldsToUpdate?.properties ?? {}))])
      }
    }
    expect(fields.get('Lead')).toMatchObject({ LeadID: 'id; read-only', OwnerID: 'id; cannot be cleared' })
    expect(fields.get('User')?.Role).not.toMatch(/read-only/)
  })
})

test('a list that is cut is told by all that the record has, in full too', async () => {
  const { LeadID } = await server.call('create_a_lead', { ...ADA, LastName: 'Noted' })
  for (let i = 0; i < 102; i++) await server.call('add_notes_to_leads', { LeadID: LeadID as string, Note: String(i) })
  const leftOut = async (more: object) => (await talk.call('get_leads', { LeadID, ...more })).says.LeftOut
  expect(await leftOut({})).toContain('all but 5 of 102 Notes (get_many_notes shows them page by page)')
  expect(await leftOut({ Detail: 'full', Budget: 3000 })).toMatch(/^all but \d+ of 102 Notes \(get_many_notes shows them page by page\)/)
  // What HTTP answers, which has the count itself.
  expect((await talk.call('get_leads', { LeadID, Detail: 'full', Budget: 100_000 })).says).toEqual(await server.call('get_leads', { LeadID }))
})

describe('writes', () => {
  test('answer with a receipt that has the id at its top', async () => {
    const created = await talk.call('create_a_lead', { ...ADA, LastName: 'Receipt' })
    const { LeadID } = created.says
    expect(created.says).toEqual({ LeadID: expect.any(String), Revision: 1, ChangeID: expect.any(String) })
    expect(created.text).toContain(`LeadID: "${LeadID}"`)
    const updated = await talk.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Won', Phone: null } })
    expect(updated.says).toEqual({ LeadID, Revision: 2, UpdatedFields: ['Status', 'Phone'], ChangeID: expect.any(String) })
    const noted = await talk.call('add_notes_to_leads', { LeadID, Note: 'Called.' })
    expect(noted.says).toEqual({ NoteID: expect.any(String), LeadID, ChangeID: expect.any(String) })
    const undone = await talk.call('undo_change', { ChangeID: updated.says.ChangeID })
    expect(undone.says).toMatchObject({ UndoneChangeID: updated.says.ChangeID, RecordType: 'Lead', RecordID: LeadID, Revision: 3 })
    expect((await talk.call('delete_lead', { LeadID })).says).toEqual({ LeadID, Deleted: true, ChangeID: expect.any(String) })
  })

  test('are done once with the same key, and say so the second time', async () => {
    const input = { ...ADA, IdempotencyKey: 'signup-4711' }
    const first = await talk.call('create_a_lead', input)
    const again = await talk.call('create_a_lead', input)
    expect(again.says).toEqual({ ...first.says, Replayed: true })
    expect(again.text).toMatch(/was done before with this IdempotencyKey/)
    const other = await talk.call('create_a_lead', { ...input, LastName: 'Byron' })
    expect([other.isError, other.says.code]).toEqual([true, 'conflict'])
    expect(other.text).toContain(other.says.detail)
  })

  test('change nothing in a dry run, and say what they would change', async () => {
    const { LeadID } = await server.call('create_a_lead', { ...ADA, Phone: '123' })
    const { says, text } = await talk.call('update_lead', { LeadID, FieldsToUpdate: { Phone: null }, DryRun: true })
    expect(says).toMatchObject({ DryRun: true, Difference: { Phone: { From: '123', To: null } } })
    expect(text).toContain('- Phone: "123" → null')
    expect((await server.call('get_leads', { LeadID })).Phone).toBe('123')
    const long = await talk.call('create_case', { Subject: 'Long', Description: 'x'.repeat(3000), DryRun: true, Budget: 10_000 })
    expect(long.says).toMatchObject({
      DryRun: true,
      Difference: { Description: { From: null, To: expect.stringMatching(/1000 more characters/) } },
      LeftOut: expect.any(String),
    })
  })

  test('are lines of the audit that name this transport', async () => {
    const { ChangeID } = (await talk.call('create_a_lead', ADA)).says
    const { Records } = await server.call('get_many_changes', { Filters: { ChangeID } })
    expect(Records).toMatchObject([{ ChangeID, Transport: 'mcp', Operation: 'create_a_lead', Outcome: 'ok' }])
  })
})

test('with Detail full every answer is what HTTP answers', async () => {
  const { LeadID } = await server.call('create_a_lead', ADA)
  for (const [operation, input] of [
    ['get_leads', { LeadID }],
    ['get_many_leads', { Filters: { LeadID } }],
    ['get_many_campaigns', {}],
    ['get_summary_of_leads', {}],
    ['describe', {}],
    ['get_current_user', {}],
    ['get_many_events', {}],
  ] as const)
    expect((await talk.call(operation, { ...input, Detail: 'full', Budget: 1_000_000 })).says).toEqual(await server.call(operation, input))
})
