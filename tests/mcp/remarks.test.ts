import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Talk, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let talk: Talk

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, { atEnd: afterAll })
})
afterAll(() => server.close())

let count = 0
const lead = (more = {}) => ({ FirstName: 'Ada', LastName: `Lovelace ${count++}`, ...more })
const create = async (input: object = lead()) => (await talk.call('create_a_lead', { ...input })).says

describe('a value of an open set', () => {
  test('that is near a known one is written as given, and remarked on', async () => {
    const { LeadID, Remarks } = await create(lead({ Status: 'open', Rating: 'Worm' }))
    expect(Remarks).toEqual([expect.stringMatching(/^Status is "open", as given, which is near "Open"/), expect.stringMatching(/^Rating is "Worm".* "Warm"/)])
    expect(await server.call('get_leads', { LeadID: LeadID as string })).toMatchObject({ Status: 'open', Rating: 'Worm' })
  })

  test('is compared with what more records of the workspace have', async () => {
    for (let i = 0; i < 3; i++) await server.call('create_a_lead', lead({ Status: 'Contacted' }))
    const { LeadID } = await create()
    const slips = async (Status: string) => talk.call('update_lead', { LeadID, FieldsToUpdate: { Status } })
    for (let i = 0; i < 2; i++) {
      const { says, text } = await slips('Cntacted')
      expect(says.Remarks).toEqual([expect.stringContaining('near "Contacted"')])
      expect(text).toMatch(/\nRemark: Status is "Cntacted"/)
      await slips('Open')
    }
    for (const Status of ['Contacted', 'Nurturing', 'Open']) expect((await slips(Status)).says).not.toHaveProperty('Remarks')
  })

  test('is not taught by a slip that was made a few times', async () => {
    const status = (Status: string) => lead({ Status })
    for (let i = 0; i < 3; i++) {
      expect((await create(status('Cntacted'))).Remarks).toEqual([expect.stringContaining('near "Contacted"')])
      expect(await create(status('Dornant'))).not.toHaveProperty('Remarks')
    }
    for (const right of ['Contacted', 'Dormant']) expect(await create(status(right))).not.toHaveProperty('Remarks')
    expect((await create({ ...status('Cntactd'), DryRun: true })).Remarks).toEqual([expect.stringContaining('near "Contacted"')])
    expect((await talk.call('get_many_leads', { Filters: { Status: 'contactd' } })).says.Remarks).toEqual([expect.stringContaining('near "Contacted"')])
    const { says } = await talk.call('create_case', { Subject: 'Engine', Description: 'Jams.', Status: 'opn' })
    expect(says.Remarks).toEqual([expect.stringContaining('near "Open"')])
  })

  test('is compared with what clearly more records have, and with what it replaces', async () => {
    const status = (Status: string) => lead({ Status })
    for (let i = 0; i < 4; i++) expect(await create(status('Resting'))).not.toHaveProperty('Remarks')
    expect((await create(status('Restign'))).Remarks).toEqual([expect.stringContaining('near "Resting"')])
    const { LeadID } = await create(status('Postponed'))
    const { says } = await talk.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Postpond', Rating: 'hto' } })
    expect(says.Remarks).toEqual([expect.stringContaining('near "Postponed"'), expect.stringContaining('near "Hot"')])
  })

  test.each([{ Status: 'nurtured' }, { Status: { eq: 'NURTURED' } }, { Status: { in: ['nurturde'] } }, { any: [{ Status: 'nurtured' }] }])(
    'that finds nothing is remarked on: %j',
    async (Filters) => {
      await create(lead({ Status: 'Nurtured' }))
      for (const tool of ['get_many_leads', 'get_summary_of_leads'])
        expect((await talk.call(tool, { Filters })).says.Remarks).toEqual([expect.stringMatching(/^Nothing was found with Status .* near "Nurtured"/)])
      expect((await talk.call('get_many_leads', { Filters: { Status: 'Nurtured' } })).says).not.toHaveProperty('Remarks')
      expect((await talk.call('get_many_leads', { Filters: { Status: 'Unheard of' } })).says).not.toHaveProperty('Remarks')
    },
  )

  test('is remarked on wherever it is written: in the opportunity of a conversion, in a membership', async () => {
    const { LeadID } = await create()
    const { CampaignID } = await server.call('create_campaign', { CampaignName: 'Spring' })
    const joined = (await talk.call('add_leads_to_campaign', { LeadID, CampaignID, Status: 'Respnded' })).says
    expect(joined.Remarks).toEqual([expect.stringMatching(/^Status is "Respnded".* "Responded"/)])
    const Opportunity = { OpportunityName: 'Engine', Stage: 'prospectng', CloseDate: '2030-01-01' }
    const { says } = await talk.call('convert_lead', { LeadID, Opportunity })
    expect(says.Remarks).toEqual([
      expect.stringMatching(/^Opportunity\.Stage is "prospectng", as given, which is near "Prospecting", a value that is in use\./),
    ])
  })

  test('is remarked on in a dry run too', async () => {
    const { says } = await talk.call('create_a_lead', lead({ Status: 'OPEN', DryRun: true }))
    expect(says).toMatchObject({ DryRun: true, Remarks: [expect.stringContaining('near "Open"')] })
  })
})

describe('the same create again', () => {
  test('without a key is remarked on with the id of the first', async () => {
    const same = lead({ Company: 'Analytical Engines' })
    const first = await create(same)
    expect(first).not.toHaveProperty('Remarks')
    expect(await create({ ...same, Company: 'Other' })).not.toHaveProperty('Remarks')
    const again = await create(same)
    expect(again.Remarks).toEqual([
      expect.stringMatching(
        new RegExp(`^The same Create A Lead was made \\d+ s before: LeadID ${first.LeadID}\\..* ChangeID ${again.ChangeID};.* IdempotencyKey`),
      ),
    ])
    expect(await create({ ...same, IdempotencyKey: 'on-purpose' })).not.toHaveProperty('Remarks')
  })

  test('is told beside the whole record, too, and not of a record that is gone', async () => {
    const same = lead()
    const { LeadID } = await create(same)
    const { content, structuredContent, _meta } = await talk.client.callTool({ name: 'create_a_lead', arguments: { ...same, Detail: 'full' } })
    expect(structuredContent).toMatchObject(same)
    expect(structuredContent).not.toHaveProperty('Remarks')
    expect(_meta).toMatchObject({ ChangeID: expect.any(String), Remarks: [expect.stringContaining(LeadID as string)] })
    expect(content).toEqual([expect.anything(), { type: 'text', text: expect.stringMatching(/^Remark: The same Create A Lead/) }])
    for (const id of [LeadID, (structuredContent as { LeadID: string }).LeadID]) await talk.call('delete_lead', { LeadID: id })
    expect(await create(same)).not.toHaveProperty('Remarks')
  })

  test('of a note is of the same record only', async () => {
    const [one, other] = [await create(), await create()]
    const add = async (LeadID: unknown) => (await talk.call('add_notes_to_leads', { LeadID, Note: 'Called back.' })).says
    await add(one.LeadID)
    expect(await add(other.LeadID)).not.toHaveProperty('Remarks')
    expect((await add(one.LeadID)).Remarks).toEqual([expect.stringContaining('The same Add Notes To Leads was made')])
  })

  test('is the same in all that was written, fields of the workspace and values of custom objects too', async () => {
    await server.call('define_field', { RecordType: 'Lead', FieldName: 'Hull', Kind: 'text', Label: 'Hull' })
    const { FirstName, LastName } = lead()
    const withHull = (Hull: string) => ({ FirstName, LastName, Hull })
    const boat = (Value: string) => ({ ObjectName: 'Boat', Fields: { Hull: { Type: 'String', Label: 'Hull', Value } } })
    for (const [tool, input] of [
      ['create_a_lead', withHull],
      ['create_custom_object', boat],
    ] as const) {
      for (const hull of ['Oak', 'Steel']) expect((await talk.call(tool, input(hull))).says, tool).not.toHaveProperty('Remarks')
      expect((await talk.call(tool, input('Oak'))).says.Remarks, tool).toEqual([expect.stringMatching(/^The same Create /)])
    }
  })

  test('in a batch is one remark for all, however many there are', async () => {
    const creates = Array.from({ length: 60 }, () => ({ Operation: 'create_a_lead', Input: lead() }))
    const first = (await talk.call('batch', { Operations: creates })).says
    expect(first).not.toHaveProperty('Remarks')
    const { says } = await talk.call('batch', { Operations: [...creates, { Operation: 'create_a_lead', Input: lead() }] })
    expect(says.Remarks).toEqual([
      expect.stringMatching(
        /^60 calls create what was created before, the last of them \d+ s before: LeadID \S+\. .* the ChangeID of each; with IdempotencyKey/,
      ),
    ])
    await talk.call('undo_change', { BatchID: says.BatchID })
    await talk.call('undo_change', { BatchID: first.BatchID })
    expect((await talk.call('batch', { Operations: creates })).says).not.toHaveProperty('Remarks')
    const same = lead()
    const twice = [same, same].map((Input) => ({ Operation: 'create_a_lead', Input }))
    expect((await talk.call('batch', { Operations: twice })).says.Remarks).toEqual([
      expect.stringMatching(/^Call 1: The same as call 0: LeadID \S+\. If this is a repetition, take it back with undo_change and ChangeID \S+\.$/),
    ])
    const many = [same, lead(), ...Array.from({ length: 5 }, () => same)].map((Input) => ({
      Operation: 'create_a_lead',
      Input: { ...Input, Title: 'Countess' },
    }))
    expect((await talk.call('batch', { Operations: many })).says.Remarks).toEqual([
      expect.stringMatching(/^5 calls create what was created before, the last of them by call 0: LeadID \S+\. .* the ChangeID of each; with IdempotencyKey/),
    ])
    expect((await talk.call('batch', { Operations: twice, IdempotencyKey: 'on-purpose-too' })).says).not.toHaveProperty('Remarks')
  })

  test('is found behind many others', async () => {
    const same = lead()
    const { LeadID } = await create(same)
    for (let i = 0; i < 60; i++) await server.call('create_case', { Subject: `Engine ${i}`, Description: 'Jams.' })
    expect((await create(same)).Remarks).toEqual([expect.stringContaining(`LeadID ${LeadID}`)])
  })

  test('by another user is no repetition', async () => {
    const same = lead()
    await server.call('create_a_lead', same)
    const { UserID } = await server.call('create_user', { Name: 'Grace Hopper', Role: 'admin' })
    const { Key: secret } = await server.call('create_key', { UserID })
    const grace = await talkTo(server.url, secret as string)
    expect((await grace.call('create_a_lead', same)).says).not.toHaveProperty('Remarks')
  })
})

describe('a stale overwrite', () => {
  test('tells of all changes, and shows no character unseen', async () => {
    const { LeadID } = await create(lead({ Title: '\u3164\ufe0f\u{e0041}' }))
    await talk.call('get_leads', { LeadID })
    const { Key } = await server.call('create_key', {})
    const grace = await talkTo(server.url, Key as string)
    const change = (FieldsToUpdate: object) => grace.call('update_lead', { LeadID, FieldsToUpdate })
    await change({ Phone: '1' })
    for (let i = 0; i < 25; i++) await change({ Email: `ada${i}@example.com` })
    await change({ Title: '\u3164\ufe0f\u{e0042}' })
    const { Remarks } = (await talk.call('update_lead', { LeadID, FieldsToUpdate: { Phone: '2', Title: 'Countess' } })).says as { Remarks: string[] }
    expect(Remarks[0]).toContain(
      ' and 24 more times since you read it at Revision 1. Your write has replaced Phone ("1"), Title ("\\u3164\\ufe0f\\udb40\\udc42").',
    )
  })

  test('is remarked on with who changed what since it was read, and what was replaced', async () => {
    const { LeadID } = await create()
    await talk.call('get_leads', { LeadID })
    const { UserID } = await server.call('create_user', { Name: 'Grace\nHopper\u202e', Role: 'admin' })
    const { Key: secret } = await server.call('create_key', { UserID })
    const grace = await talkTo(server.url, secret as string)
    await grace.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Won', Phone: '1' } })

    const { says } = await talk.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Lost' } })
    expect(says.Remarks).toHaveLength(1)
    const [remark] = says.Remarks as string[]
    expect(remark).toMatch(
      new RegExp(`^LeadID ${LeadID} was changed by "Grace\\\\nHopper\\\\u202e" at \\S+ \\((Phone, Status|Status, Phone)\\) since you read it at Revision 1\\.`),
    )
    expect(remark).toContain('Your write has replaced Status ("Won").')
    expect(remark).toContain(`undo_change with ChangeID ${says.ChangeID}`)
    // Its own write is what the caller has seen last.
    expect((await talk.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Open' } })).says).not.toHaveProperty('Remarks')
  })

  test('is remarked on also of a delete and of a conversion', async () => {
    for (const tool of ['delete_lead', 'convert_lead']) {
      const { LeadID } = await create()
      await talk.call('get_leads', { LeadID })
      await server.call('update_lead', { LeadID: LeadID as string, FieldsToUpdate: { Phone: '1' } })
      const { says } = await talk.call(tool, { LeadID })
      expect(says.Remarks, tool).toEqual([expect.stringMatching(/was changed by this user at \S+ \(Phone\) since you read it at Revision 1\. undo_change/)])
      const fresh = await create()
      expect((await talk.call(tool, { LeadID: fresh.LeadID })).says, tool).not.toHaveProperty('Remarks')
    }
  })

  test('is none where the record was read again, by a list too, or IfRevision was given', async () => {
    const { LeadID } = await create()
    const update = (more = {}) => talk.call('update_lead', { LeadID, FieldsToUpdate: { Phone: String(count++) }, ...more })
    const byAnother = () => server.call('update_lead', { LeadID: LeadID as string, FieldsToUpdate: { Phone: String(count++) } })
    await byAnother()
    await talk.call('get_many_leads', { Filters: { LeadID } })
    expect((await update()).says).not.toHaveProperty('Remarks')
    await byAnother()
    await talk.client.readResource({ uri: `crm://leads/${LeadID}` })
    expect((await update()).says).not.toHaveProperty('Remarks')
    await byAnother()
    expect((await update({ IfRevision: 6 })).says).toMatchObject({ Revision: 7 })
    expect((await update()).says).not.toHaveProperty('Remarks')
    await byAnother()
    expect((await update()).says.Remarks).toEqual([expect.stringContaining('by this user')])
  })
})

test('what one session of a key has written is remarked on to another that has read the record before', async () => {
  const { LeadID } = await create()
  const [one, other] = [randomUUID(), randomUUID()]
  const call = async (session: string, name: string, input: object) => {
    const headers = {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': `-${session}`,
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { LeadID, ...input } } })
    return (await fetch(`${server.url}/mcp`, { method: 'POST', headers, body })).text()
  }
  const Phone = (number: string) => ({ FieldsToUpdate: { Phone: number } })
  expect(await call(one, 'get_leads', {})).toContain('Lovelace')
  expect(await call(other, 'update_lead', Phone('1'))).not.toContain('Remark')
  expect(await call(one, 'update_lead', Phone('2'))).toContain('Your write has replaced Phone')
  expect(await call(one, 'update_lead', Phone('3'))).not.toContain('Remark')
})

test('what the caller has undone itself is no change by another', async () => {
  const { LeadID } = await create()
  const update = async () => (await talk.call('update_lead', { LeadID, FieldsToUpdate: { Phone: String(count++) } })).says
  const undo = (what: object) => talk.call('undo_change', what)
  await undo({ ChangeID: (await update()).ChangeID })
  expect(await update()).not.toHaveProperty('Remarks')
  await undo({ ChangeID: (await talk.call('delete_lead', { LeadID })).says.ChangeID })
  expect(await update()).not.toHaveProperty('Remarks')
  const Operations = [1, 2].map((i) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Title: String(i) } } }))
  await undo({ BatchID: (await talk.call('batch', { Operations })).says.BatchID })
  expect(await update()).not.toHaveProperty('Remarks')
})

test('remarks cost no call that the log or the audit shows, and are left out where the key may not read', async () => {
  const { Key: secret } = await server.call('create_key', { Scopes: ['write:Lead'] })
  const writer = await talkTo(server.url, secret as string)
  const same = lead({ Status: 'open' })
  await writer.call('create_a_lead', same)
  const { says, isError } = await writer.call('create_a_lead', same)
  expect(isError).toBe(false)
  expect(says.Remarks).toEqual([expect.stringContaining('near "Open"')])
  const { Records } = await server.call('get_many_changes', { Filters: { Outcome: 'forbidden' } })
  expect(Records).toEqual([])
})

test('a text that is written back as an answer has cut it is remarked on', async () => {
  const { LeadID } = await create(lead({ Description: 'All of it sticks. '.repeat(200) }))
  const { Description } = (await talk.call('get_leads', { LeadID })).says
  expect(Description).toMatch(/… \(1600 more characters\)$/)
  const remark = expect.stringMatching(/^FieldsToUpdate\.Description ends in the mark of a text that an answer has cut\./)
  const update = (FieldsToUpdate: object) => talk.call('update_lead', { LeadID, FieldsToUpdate })
  expect((await update({ Description })).says.Remarks).toEqual([remark])
  expect((await update({ Description: 'All… (1600 more characters) of it.' })).says).not.toHaveProperty('Remarks')
})
