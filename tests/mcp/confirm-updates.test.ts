import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isDestructive, overwrites } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { StoredRecord } from '../../src/platforms/platform.ts'
import { gatedAccount } from '../support/gated.ts'
import { REVISIONS, talkTo } from '../support/mcp.ts'
import { serverForTest, type TestServer } from '../support/server.ts'

const query = '?confirm=updates'
const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

async function leadsOn(server: TestServer, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(String((await server.call('create_a_lead', { FirstName: 'Ada', LastName: `Lovelace ${i}` })).LeadID))
  return ids
}

const statusesOn = async (server: TestServer) =>
  [...new Set(((await server.call('get_many_leads', { Limit: 100 })).Records as { Status: string }[]).map(({ Status }) => Status))].sort()

const changing = (ids: readonly string[], Status = 'Contacted') =>
  ids.map((LeadID) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Status } } }))

/** A client whose person is asked, and what they were asked. */
async function asked(server: TestServer, action: 'accept' | 'decline') {
  const questions: string[] = []
  const talk = await talkTo(server.url, server.key, {
    query,
    options: { capabilities: { elicitation: {} } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message)
        return { action, content: {} }
      }),
  })
  return { ...talk, questions }
}

test('an update shows what it would change, and is executed with its token; a create needs none', async () => {
  const server = await serverForTest()
  const { call } = await talkTo(server.url, server.key, { query })
  const { LeadID, isError } = { ...(await call('create_a_lead', ADA)).says } as { LeadID: string; isError?: boolean }
  expect(isError).toBe(undefined)
  const update = { LeadID, FieldsToUpdate: { Status: 'Contacted\nUndo nothing', Title: 'Countess' } }
  const planned = await call('update_lead', update)
  expect(planned.text).toContain(
    `Update Lead "Ada Lovelace" (${LeadID})?\nIt changes:\n- Status: "Open" → "Contacted\\nUndo nothing"\n- Title: null → "Countess"\n`,
  )
  expect(planned.says).toMatchObject({ ConfirmationRequired: true, ConfirmationToken: expect.any(String) })
  expect(await statusesOn(server)).toEqual(['Open'])
  expect((await call('update_lead', { ...update, ConfirmationToken: planned.says.ConfirmationToken })).says).toMatchObject({ LeadID, Revision: 2 })
  // Nothing would change any more.
  expect((await call('update_lead', update)).says).toMatchObject({ LeadID })
})

test('a question names the users whose ids it shows', async () => {
  const server = await serverForTest()
  const { call } = await talkTo(server.url, server.key, { query })
  const { LeadID, OwnerID } = await server.call('create_a_lead', ADA)
  const { UserID } = await server.call('create_user', { Name: 'Grace "the boss"\n- Status: "Open"' })
  const { text } = await call('update_lead', { LeadID, FieldsToUpdate: { OwnerID: UserID } })
  expect(text).toContain(`- OwnerID: "Admin" (${OwnerID}) → "Grace \\"the boss\\"\\n- Status: \\"Open\\"" (${UserID})\n`)
})

test('many updates are one question, and one undo', async () => {
  const server = await serverForTest()
  const ids = await leadsOn(server, 25)
  const { call, questions } = await asked(server, 'accept')
  const { says } = await call('batch', { Operations: changing(ids) })
  expect(says).toMatchObject({ Done: 25, BatchID: expect.any(String) })
  expect(questions).toHaveLength(1)
  const [question = ''] = questions
  expect(question).toMatch(/^Execute a batch: 25 × Update Lead\?\nIt changes 25 records:\n/)
  expect(question).toContain(`- "Ada Lovelace 0" (${ids[0]}): Status: "Open" → "Contacted"\n`)
  expect(question.match(/→/g)).toHaveLength(20)
  expect(question).toContain('\n- and 5 more\n')
  expect(question).toContain('undo_change can take all of it back, by its BatchID.')
  expect(await statusesOn(server)).toEqual(['Contacted'])
  // The undo overwrites, too.
  await call('undo_change', { BatchID: says.BatchID })
  expect([await statusesOn(server), questions.length]).toEqual([['Open'], 2])
})

test('the undo of a batch is asked about in plain words, with each record once and the values that change', async () => {
  const server = await serverForTest()
  const [first = '', second = '', third = ''] = await leadsOn(server, 3)
  const quiet = await talkTo(server.url, server.key)
  const Operations = [
    ...changing([first, first, second]),
    { Operation: 'update_lead', Input: { LeadID: first, FieldsToUpdate: { Title: 'Countess' } } },
    { Operation: 'delete_lead', Input: { LeadID: third } },
    { Operation: 'create_a_lead', Input: { FirstName: 'Grace', LastName: 'Hopper' } },
  ]
  const { says } = await quiet.call('batch', { Operations })
  const { call, questions } = await asked(server, 'decline')
  await call('undo_change', { BatchID: says.BatchID })
  const lines = questions[0]?.split('\n').slice(0, -2) ?? []
  expect(lines[0]).toBe(`Undo the batch ${says.BatchID}?`)
  expect(lines[1]).toMatch(/^It takes back 5 changes: /)
  for (const kind of ['3 leads are changed', '1 lead is deleted', '1 lead is restored']) expect(lines[1]).toContain(kind)
  expect(lines.slice(2, 5)).toEqual(['It takes away 1 record:', expect.stringMatching(/^- "Grace Hopper" \(\w+\)$/), 'It changes or restores 3 records:'])
  expect(lines.slice(5).sort()).toEqual([
    `- "Ada Lovelace 0" (${first}): Title: "Countess" → null; Status: "Contacted" → "Open"`,
    `- "Ada Lovelace 1" (${second}): Status: "Contacted" → "Open"`,
    `- "Ada Lovelace 2" (${third})`,
  ])
})

test('updates and deletes are asked about at once, and nothing is changed when the person declines', async () => {
  const server = await serverForTest()
  const [first = '', second = ''] = await leadsOn(server, 2)
  const { call, questions } = await asked(server, 'decline')
  const batch = { Operations: [...changing([first]), { Operation: 'delete_lead', Input: { LeadID: second } }] }
  expect((await call('batch', batch)).says).toMatchObject({ code: 'forbidden' })
  expect(questions).toEqual([expect.stringMatching(/It takes away 1 record:\n- "Ada Lovelace 1".*\nIt changes 1 record:\n- "Ada Lovelace 0"/)])
  expect([await statusesOn(server), (await server.call('get_many_leads')).Records]).toEqual([['Open'], expect.objectContaining({ length: 2 })])
})

test('deletes are named first, however many updates come before them, and each record once, from its first value to its last', async () => {
  const server = await serverForTest()
  const ids = await leadsOn(server, 26)
  const [twice = '', deleted = ''] = ids.slice(-2)
  await server.call('add_notes_to_leads', { LeadID: deleted, Note: 'Called.' })
  const { call, questions } = await asked(server, 'decline')
  const remove = { Operation: 'delete_lead', Input: { LeadID: deleted } }
  await call('batch', { Operations: [...changing([twice]), ...changing([twice], 'Qualified'), ...changing(ids), remove] })
  const [question = ''] = questions
  expect(question).toMatch(new RegExp(`\nIt takes away 1 record:\n- "Ada Lovelace 25" \\(${deleted}\\)\nIt changes 25 records:\n`))
  expect(question).toContain(`- "Ada Lovelace 24" (${twice}): Status: "Open" → "Contacted"\n`)
  expect(question).toContain('\nWith them goes 1 note.\n')
  await call('batch', { Operations: [...changing([twice]), ...changing([twice], 'Open'), remove] })
  expect(questions[1]).toContain(`It changes 1 record:\n- "Ada Lovelace 24" (${twice})\n`)
})

test('of a batch that is refused for one call, the others say which', async () => {
  const server = await serverForTest()
  const [LeadID = ''] = await leadsOn(server, 1)
  const { call } = await talkTo(server.url, server.key, { query })
  const remove = (id: string) => ({ Operation: 'delete_lead', Input: { LeadID: id } })
  const { says } = await call('batch', { Operations: [remove(LeadID), remove('nothing')] })
  expect(says.Results).toEqual(expect.arrayContaining([expect.objectContaining({ Call: 0, Refused: 'Call 1 was refused.' })]))
})

test('a record that has changed since refuses the batch, and one that is changed twice does not', async () => {
  const server = await serverForTest()
  const [LeadID = ''] = await leadsOn(server, 1)
  const { call } = await talkTo(server.url, server.key, { query })
  const batch = { Operations: [...changing([LeadID]), ...changing([LeadID], 'Qualified')] }
  const first = await call('batch', batch)
  expect(first.says).toMatchObject({ Plan: { Preview: { Updates: 1, Deletes: 0, Calls: { update_lead: 2 } } } })
  await server.call('update_lead', { LeadID, FieldsToUpdate: { Title: 'Countess' } })
  expect((await call('batch', { ...batch, ConfirmationToken: first.says.ConfirmationToken })).says).toMatchObject({ NotDone: 2 })
  const again = await call('batch', batch)
  expect((await call('batch', { ...batch, ConfirmationToken: again.says.ConfirmationToken })).says).toMatchObject({ Done: 2 })
  expect(await statusesOn(server)).toEqual(['Qualified'])
})

test('with a key that needs a person, updates wait for one too', async () => {
  const server = await serverForTest()
  const ids = await leadsOn(server, 3)
  const { Key } = await server.call('create_key', { Scopes: ['read', 'write'], Confirm: 'person' })
  const { call } = await talkTo(server.url, String(Key), { query })
  const { says } = await call('batch', { Operations: changing(ids) })
  expect(says).toMatchObject({ ConfirmationRequired: true, AllowedBy: 'person' })
  expect(says).not.toHaveProperty('ConfirmationToken')
  const { PlanID } = says.Plan as { PlanID: string }
  await server.call('allow_plan', { PlanID })
  expect(await statusesOn(server)).toEqual(['Contacted'])
  expect((await call('batch', { Operations: changing(ids) })).says).toMatchObject({ Done: 3 })
  await server.call('undo_change', { BatchID: PlanID })
  expect(await statusesOn(server)).toEqual(['Open'])
})

test('on a CRM many updates are one plan too, executed call by call, and one undo', async () => {
  const server = await serverForTest()
  const account = await gatedAccount()
  await server.call('create_connection', { Platform: 'hubspot', Address: account.url, Secrets: { token: 'simulator' }, InUse: true })
  const ids = await leadsOn(server, 12)
  const { call } = await talkTo(server.url, server.key, { query })
  const batch = { Operations: ids.map((LeadID) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Title: 'Countess' } } })) }
  const titles = async () => new Set(((await server.call('get_many_leads')).Records as { Title: string | null }[]).map(({ Title }) => Title))
  const { says } = await call('batch', batch)
  expect(says).toMatchObject({ Plan: { Preview: { Updates: 12, Undoable: true } } })
  expect(account.requests.filter((request) => request.startsWith('PATCH'))).toEqual([])
  const done = (await call('batch', { ...batch, ConfirmationToken: says.ConfirmationToken })).says
  expect([done.Done, await titles()]).toEqual([12, new Set(['Countess'])])
  const undo = { BatchID: done.BatchID }
  const { ConfirmationToken } = (await call('undo_change', undo)).says
  expect(await titles()).toEqual(new Set(['Countess']))
  await call('undo_change', { ...undo, ConfirmationToken })
  expect(await titles()).toEqual(new Set([null]))
})

test('a conversion is asked about with what it makes, and of long values the part that differs is shown', async () => {
  const server = await serverForTest()
  const [LeadID = ''] = await leadsOn(server, 1)
  const { call, questions } = await asked(server, 'decline')
  const long = 'A remark that goes on and on. '.repeat(20)
  await server.call('update_lead', { LeadID, FieldsToUpdate: { Description: `${long}Pay Ada 10.${long}` } })
  await call('update_lead', { LeadID, FieldsToUpdate: { Description: `${long}Pay Eve 99.${long}` } })
  expect(questions.at(-1)).toMatch(/- Description: …"[^"]*Pay Ada 10\.[^"]*"… → …"[^"]*Pay Eve 99\.[^"]*"…\n/)
  await call('convert_lead', {
    LeadID,
    Opportunity: { OpportunityName: 'Engine\n- Contact.Title: "x"', Stage: 'Closed Won', CloseDate: '2030-01-01', Amount: 1e6 },
  })
  expect(questions.at(-1)?.split('\n').slice(0, -2)).toEqual([
    `Convert Lead "Ada Lovelace 0" (${LeadID})?`,
    'It makes:',
    '- Company.CompanyName: "Ada Lovelace 0"',
    '- Contact.FirstName: "Ada"',
    '- Contact.LastName: "Lovelace 0"',
    '- Opportunity.OpportunityName: "Engine\\n- Contact.Title: \\"x\\""',
    '- Opportunity.Stage: "Closed Won"',
    '- Opportunity.CloseDate: "2030-01-01"',
    '- Opportunity.Amount: 1000000',
    'It changes:',
    '- Status: "Open" → "Converted"',
  ])
  expect(await server.call('get_leads', { LeadID })).toMatchObject({ Status: 'Open', Description: `${long}Pay Ada 10.${long}` })
})

test('all that differs in a long value is shown, or how much of it is not', async () => {
  const server = await serverForTest()
  const [LeadID = ''] = await leadsOn(server, 1)
  const { call, questions } = await asked(server, 'decline')
  const long = 'A remark that goes on and on. '.repeat(20)
  const text = (amount: string, account: string) => `It costs ${amount} EUR. ${long}Pay to ${account}.`
  await server.call('update_lead', { LeadID, FieldsToUpdate: { Description: text('100', 'DE11') } })
  await call('update_lead', { LeadID, FieldsToUpdate: { Description: text('100.00', 'XX99') } })
  expect(questions.at(-1)).toContain(`"${text('100', 'DE11')}" → "${text('100.00', 'XX99')}"`)
  const huge = (first: string, last: string) => `${first}${long.repeat(40)}${last}`
  await server.call('update_lead', { LeadID, FieldsToUpdate: { Description: huge('One', 'two') } })
  await call('update_lead', { LeadID, FieldsToUpdate: { Description: huge('Eins', 'zwei') } })
  expect(questions.at(-1)).toMatch(/"One[^"]*"… \(\d+ more characters\) …"[^"]*two" → "Eins[^"]*"… \(\d+ more characters\) …"[^"]*zwei"/)
})

test('a budget that what is to be confirmed does not fit into gets no token', async () => {
  const server = await serverForTest()
  const [LeadID = ''] = await leadsOn(server, 1)
  const { call } = await talkTo(server.url, server.key, { query })
  const update = { LeadID, FieldsToUpdate: { Status: 'Contacted', Email: 'thief@example.com', Description: 'A remark that goes on and on. '.repeat(8) } }
  const { says, isError } = await call('update_lead', { ...update, Budget: 200 })
  expect([isError, says]).toEqual([true, expect.objectContaining({ code: 'too_large', hint: expect.stringMatching(/^Call again with Budget: \d+\.$/) })])
  const Budget = Number(/\d+/.exec(says.hint as string)?.[0])
  const again = await call('update_lead', { ...update, Budget })
  expect(again.says).toHaveProperty('ConfirmationToken')
  for (const shown of ['thief@example.com', 'Contacted', update.FieldsToUpdate.Description]) expect(again.text).toContain(shown)
})

test('a client of 2025 that does not say who it is gets no token: it could have asked', async () => {
  const server = await serverForTest()
  const [LeadID = ''] = await leadsOn(server, 1)
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const params = { name: 'delete_lead', arguments: { LeadID } }
  const answer = await fetch(`${server.url}/mcp?confirm=deletes`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const text = await answer.text()
  expect(text).toContain('the person could not be asked')
  expect(text).toContain('Mcp-Session-Id')
  expect(text).not.toContain('ConfirmationToken')
})

test.each(['made-up', `shell-${randomUUID()}`, randomUUID()])(
  'a session id that no server of this kind makes gets neither a token nor an answer: %s',
  async (id) => {
    const server = await serverForTest()
    const [LeadID = ''] = await leadsOn(server, 1)
    const answer = await fetch(`${server.url}/mcp?confirm=deletes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': id,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'delete_lead', arguments: { LeadID } } }),
    })
    expect([answer.status, await answer.text()]).toEqual([404, ''])
  },
)

test.each(REVISIONS)('a client that can only send its person to an address gets no token, when it speaks %s', async (revision) => {
  const server = await serverForTest()
  const [LeadID = ''] = await leadsOn(server, 1)
  const talk = await talkTo(server.url, server.key, { query: '?confirm=deletes', revision, options: { capabilities: { elicitation: { url: {} } } } })
  const { text, says } = await talk.call('delete_lead', { LeadID })
  expect(text).toContain('the person could not be asked')
  expect(text).toMatch(/allow the plan \w+ under Approvals/)
  expect(JSON.stringify([text, says])).not.toContain('ConfirmationToken')
})

test('every operation that changes something is asked about, by its effect', () => {
  const unasked = OPERATIONS.filter((operation) => operation.effect === 'update' && !isDestructive(operation) && !overwrites(operation)).map(({ id }) => id)
  // Refusing is a person's own decision; a plan of the others would show secrets.
  expect(unasked).toEqual(['refuse_plan', 'rotate_webhook_secret', 'update_connection', 'complete_connection'])
})

test('what an administrator changes or retires is asked about, and done once it is confirmed', async () => {
  const server = await serverForTest()
  const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'member' })
  const { WebhookID } = await server.call('create_webhook', { URL: 'https://example.com/hook' })
  const field = { RecordType: 'Lead', FieldName: 'Score' }
  await server.call('define_field', { ...field, Kind: 'integer' })
  await server.call('create_custom_object', { ObjectName: 'Boat', Fields: { Sail: { Type: 'Boolean', Label: 'Sail' } } })
  const { WorkspaceID } = await server.call('create_workspace', { Name: 'sandbox' })
  const { call } = await talkTo(server.url, server.key, { query: `${query}&toolsets=administration` })
  const changes: readonly (readonly [tool: string, input: object, changes: string])[] = [
    ['update_user', { UserID, FieldsToUpdate: { Role: 'manager' } }, 'Role: "member" → "manager"'],
    ['update_webhook', { WebhookID, FieldsToUpdate: { Active: false } }, 'Active: true → false'],
    ['update_field', { ...field, FieldsToUpdate: { Label: 'Points' } }, 'Label: "Score" → "Points"'],
    ['retire_field', field, 'Retired: false → true'],
    ['update_custom_field', { ObjectName: 'Boat', FieldName: 'Sail', FieldsToUpdate: { Label: 'Sails' } }, 'Label: "Sail" → "Sails"'],
    ['update_workspace', { WorkspaceID, FieldsToUpdate: { MaxUsers: 5 } }, 'MaxUsers: null → 5'],
    ['pause_workspace', { WorkspaceID }, 'State: "active" → "paused"'],
  ]
  const [id, at] = ['0k6v2m8q4d9x1c7b5n3t', '2026-11-15T09:30:00.000Z']
  const letter = {
    DeliveryID: id,
    WebhookID,
    EventID: id,
    EventType: 'lead.created',
    RecordID: id,
    State: 'dead',
    Attempts: 1,
    CreatedDate: at,
  } as StoredRecord
  await server.service.store.write(1, (writer) => writer.create('Delivery', letter))
  expect((await call('replay_deliveries', { WebhookID })).text).toContain('Sends dead letters of a webhook again')
  for (const [tool, input, change] of changes) {
    const planned = await call(tool, input as never)
    expect(planned.text, tool).toContain(`It changes:\n- ${change}\n`)
    const { ConfirmationToken } = planned.says
    const done = await call(tool, { ...input, ConfirmationToken } as never)
    expect([tool, done.isError, done.says.ChangeID]).toEqual([tool, false, expect.any(String)])
  }
})
