import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Problem } from '../../src/contract/errors.ts'
import { Campaign } from '../../src/contract/records/campaign.ts'
import { EVENT_TYPES } from '../../src/contract/records/event.ts'
import { FIRST_WORKSPACE } from '../../src/contract/records/workspace.ts'
import { recordSignIn } from '../../src/core/connections/state.ts'
import type { EventPage } from '../../src/core/journal/events.ts'
import { bring } from '../../src/core/watch/apply.ts'
import { announceOfConnection } from '../../src/core/watch/of-connection.ts'
import { userIdsOn } from '../../src/core/watch/watched.ts'
import type { StoredRecord } from '../../src/platforms/platform.ts'
import { decide } from '../support/consent.ts'
import { closed, wrongWith } from '../support/schemas.ts'
import { problemIn, serverForTest, startServer, type TestServer } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const ask = (query = '', headers: Record<string, string> = {}, { url, key } = server) =>
  fetch(`${url}/v1/events${query}`, { headers: { authorization: `Bearer ${key}`, ...headers } })

async function page(query = '', headers?: Record<string, string>, from = server): Promise<EventPage> {
  const response = await ask(query, headers, from)
  expect(response.status).toBe(200)
  return (await response.json()) as EventPage
}

describe('GET /v1/events', () => {
  test('answers page by page, oldest first, with each event once', async () => {
    const other = await serverForTest()
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.push(String((await other.call('create_a_lead', ADA)).LeadID))
    const pages: EventPage[] = []
    for (let after = ''; pages.at(-1)?.Events.length !== 0; ) {
      pages.push(await page(`?limit=3${after}`, {}, other))
      after = `&after=${pages.at(-1)?.NextCursor}`
    }
    expect(pages.map(({ Events }) => Events.length)).toEqual([3, 3, 1, 0])
    const events = pages.flatMap(({ Events }) => Events)
    expect(events.map(({ RecordID }) => RecordID)).toEqual(made)
    expect(events.map(({ EventID }) => EventID)).toEqual(events.map(({ EventID }) => EventID).toSorted())
    expect(pages.at(-1)?.NextCursor).toBe(events.at(-1)?.EventID)
    // An id is as good as a cursor.
    await other.call('create_a_lead', ADA)
    expect((await page(`?after=${events[4]?.EventID}`, {}, other)).Events).toHaveLength(3)
  })

  test('says what happened, to what, by whom, and shows it', async () => {
    const { newest } = await server.service.store.journal(1).span()
    const created = await server.post('create_a_lead', ADA)
    const lead = (await created.json()) as Record<string, unknown>
    const updated = await server.post('update_lead', { LeadID: lead.LeadID, FieldsToUpdate: { Status: 'Contacted' } })
    const noted = await server.post('add_notes_to_leads', { LeadID: lead.LeadID, Note: 'Called.' })
    const deleted = await server.post('delete_lead', { LeadID: lead.LeadID })
    const note = (await noted.json()) as Record<string, unknown>
    const { UpdatedFields: _, ...changed } = (await updated.json()) as Record<string, unknown>
    const { UserID } = await server.call('get_current_user')
    const of = (response: Response) => ({ At: expect.any(String), EventID: expect.any(String), ChangeID: response.headers.get('change-id') })
    const lead_ = { RecordType: 'Lead', RecordID: lead.LeadID, UserID, Source: 'api', BatchID: null }
    expect((await page(`?after=${newest}`)).Events).toEqual([
      {
        ...of(created),
        ...lead_,
        Type: 'lead.created',
        ChangedFields: ['FirstName', 'LastName', 'Status', 'EmailOptOut', 'OwnerID'],
        Before: null,
        Record: lead,
      },
      { ...of(updated), ...lead_, Type: 'lead.updated', ChangedFields: ['Status'], Before: { Status: 'Open' }, Record: changed },
      { ...of(noted), ...lead_, Type: 'lead.note_added', ChangedFields: ['Notes'], Before: null, Record: note },
      { ...of(deleted), ...lead_, Type: 'lead.deleted', ChangedFields: [], Before: changed, Record: changed },
    ])
  })

  test('is the same as get_many_events', async () => {
    expect(await server.call('get_many_events', { After: '000000000000', Limit: 2 })).toEqual(await page('?after=000000000000&limit=2'))
    expect(await server.call('get_many_events')).toEqual(await page())
  })

  test.each([
    ['limit=0', 'limit', undefined],
    ['limit=1001', 'limit', undefined],
    ['limit=ten', 'limit', undefined],
    ['limit=', 'limit', undefined],
    ['after=yesterday', 'After', undefined],
    ['after=999999999999', 'After', undefined],
    ['aftr=1', 'aftr', 'after'],
    ['Limit=5', 'Limit', 'limit'],
    ['constructor=1', 'constructor', undefined],
  ])('refuses %s, and says what was expected', async (query, field, didYouMean) => {
    const problem = await problemIn(await ask(`?${query}`))
    expect(problem.code).toBe('invalid_input')
    expect(problem.errors).toEqual([
      { field, code: expect.any(String), message: expect.any(String), expected: expect.any(String), ...(didYouMean && { didYouMean }) },
    ])
  })

  test('names every fault at once', async () => {
    expect((await problemIn(await ask('?limit=0&aftr=1&limt=2'))).errors?.map(({ field }) => field)).toEqual(['aftr', 'limt', 'limit'])
  })

  test('needs a key, and one that may read something', async () => {
    expect((await problemIn(await ask('', { authorization: '' }))).code).toBe('unauthenticated')
    const { Key } = await server.call('create_key', { Scopes: ['write'] })
    expect((await problemIn(await ask('', { authorization: `Bearer ${Key}` }))).code).toBe('forbidden')
  })

  test('shows to each caller what they may see by their role', async () => {
    const other = await serverForTest()
    const { UserID } = await other.call('create_user', { Name: 'Grace' })
    const { Key: member } = await other.call('create_key', { UserID })
    const mine = (await (await other.post('create_a_lead', ADA, { authorization: `Bearer ${member}` })).json()) as Record<string, unknown>
    await other.call('create_a_lead', ADA)
    await other.call('create_case', { Subject: 'Card', Description: 'Jammed' })
    await other.call('create_campaign', { CampaignName: 'Spring' })
    const seenBy = async (key: unknown) => (await page('', { authorization: `Bearer ${key}` }, other)).Events.map(({ Type, RecordID }) => ({ Type, RecordID }))
    expect(await seenBy(member)).toEqual([
      { Type: 'user.created', RecordID: UserID },
      { Type: 'lead.created', RecordID: mine.LeadID },
      { Type: 'campaign.created', RecordID: expect.any(String) },
    ])
    expect((await seenBy(other.key)).map(({ Type }) => Type)).toEqual([
      'user.created',
      'key.created',
      'lead.created',
      'lead.created',
      'case.created',
      'campaign.created',
    ])
  })

  test('shows no more than the key may read', async () => {
    const other = await serverForTest()
    const { Key } = await other.call('create_key', { Scopes: ['read:Lead'] })
    await other.call('create_a_lead', ADA)
    await other.call('create_user', { Name: 'Grace', Email: 'grace@example.com' })
    await other.call('create_case', { Subject: 'Card', Description: 'Jammed' })
    expect((await page('', { authorization: `Bearer ${Key}` }, other)).Events.map(({ Type }) => Type)).toEqual(['lead.created'])
  })

  test('counts against the limit of the key, and among the calls', async () => {
    const limited = await serverForTest({ rateLimit: 2 })
    expect((await ask('', {}, limited)).headers.get('ratelimit-remaining')).toBe('1')
    expect((await ask('?limit=0', {}, limited)).headers.get('ratelimit-remaining')).toBe('0')
    const over = await ask('', {}, limited)
    expect([over.status, over.headers.get('ratelimit-remaining')]).toEqual([429, '0'])
    const metrics = await (await fetch(`${limited.url}/metrics`)).text()
    for (const code of ['ok', 'invalid_input', 'rate_limited']) expect(metrics).toContain(`crm_calls_total{operation="get_many_events",code="${code}"} 1\n`)
  })

  test.each(['application/json', 'text/event-stream'])('answers HEAD at once: %s', async (accept) => {
    const response = await fetch(`${server.url}/v1/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${server.key}`, accept },
      signal: AbortSignal.timeout(5_000),
    })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

test('every event there is can happen, and is what the contract says it is', async () => {
  const { call, post, key, url, service } = await serverForTest({ wrap: (service) => ({ ...service, webhooks: { ...service.webhooks, allowPrivate: true } }) })
  const make = async (operation: string, input: object) => call(operation, input)
  const undoLast = async () => {
    const { Records } = (await call('get_many_changes', { Limit: 1 })) as { Records: { ChangeID: string }[] }
    await call('undo_change', { ChangeID: Records[0]?.ChangeID })
  }

  const { LeadID } = await make('create_a_lead', ADA)
  await call('update_lead', { LeadID, FieldsToUpdate: { Email: 'ada@example.com' } })
  await call('add_notes_to_leads', { LeadID, Note: 'x' })
  await undoLast()
  const { CampaignID } = await make('create_campaign', { CampaignName: 'Spring' })
  await call('add_leads_to_campaign', { LeadID, CampaignID })
  await call('add_leads_to_campaign', { LeadID, CampaignID, Status: 'Responded' })
  await call('remove_leads_from_campaign', { LeadID, CampaignID })
  const { CompanyID } = await make('create_company', { CompanyName: 'Engines' })
  await call('update_company', { CompanyID, FieldsToUpdate: { Employees: 5 } })
  await call('add_notes_to_company', { CompanyID, Note: 'x' })
  await undoLast()
  const { ContactID } = await make('create_contact', { LastName: 'Babbage', CompanyID })
  await call('update_contact', { ContactID, FieldsToUpdate: { Title: 'Director' } })
  await call('add_notes_to_contact', { ContactID, Note: 'x' })
  await undoLast()
  const { OpportunityID } = await make('create_opportunity', { OpportunityName: 'Engine', Stage: 'Open', CloseDate: '2026-12-31', Amount: 12.5 })
  await call('update_opportunity', { OpportunityID, FieldsToUpdate: { Amount: null } })
  await call('add_notes_to_opportunity', { OpportunityID, Note: 'x' })
  await undoLast()
  const { CaseID } = await make('create_case', { Subject: 'Card', Description: 'Jammed' })
  await call('update_case', { CaseID, FieldsToUpdate: { Status: 'Closed' } })
  await call('add_comment', { CaseID, Comment: 'x', Publish: true })
  await undoLast()
  const { ObjectID } = await make('create_custom_object', { ObjectName: 'Boat', Fields: { Length: { Type: 'Number', Label: 'Length', Value: 7.5 } } })
  await call('update_custom_object', { ObjectID, FieldsToUpdate: { Length: 8 } })
  const field = { ObjectName: 'Boat', FieldName: 'Width' }
  const { ObjectID: wide } = await make('create_custom_object', { ObjectName: 'Boat', Fields: { Width: { Type: 'Number', Label: 'Width' } } })
  await call('update_custom_field', { ...field, FieldsToUpdate: { Label: 'Beam' } })
  await call('delete_custom_field', field)
  await undoLast()
  await call('delete_custom_object', { ObjectID: wide })
  const own = { RecordType: 'Case', FieldName: 'Machine' }
  await call('define_field', { ...own, Kind: 'text' })
  await call('update_field', { ...own, FieldsToUpdate: { Label: 'Engine' } })
  await call('retire_field', own)
  await call('define_field', { ...own, Kind: 'text' })
  await call('retire_field', own)
  const { plan } = (await (await post('case_delete', { CaseID }, { confirm: 'deletes' })).json()) as Problem
  await call('refuse_plan', { PlanID: plan?.PlanID })
  for (const [operation, input] of [
    ['delete_lead', { LeadID }],
    ['opportunity_delete', { OpportunityID }],
    ['case_delete', { CaseID }],
    ['delete_custom_object', { ObjectID }],
    ['delete_contact', { ContactID }],
    ['delete_company', { CompanyID }],
  ] as const)
    await call(operation, input)
  await make('create_campaign', { CampaignName: 'Never mind' })
  await undoLast()
  const { UserID } = await make('create_user', { Name: 'Grace' })
  await call('update_user', { UserID, FieldsToUpdate: { Role: 'manager' } })
  const { KeyID } = await make('create_key', { UserID })
  await call('revoke_key', { KeyID })
  const { WebhookID } = await make('create_webhook', { URL: 'http://127.0.0.1:9/', Active: false })
  await call('update_webhook', { WebhookID, FieldsToUpdate: { Label: 'x' } })
  await call('rotate_webhook_secret', { WebhookID })
  await call('delete_webhook', { WebhookID })
  const simulator = await startSimulator(simulateHubSpot)
  onTestFinished(() => simulator.close())
  const app = { Platform: 'hubspot', Address: simulator.url, SignIn: 'browser', InUse: false, Secrets: { clientId: 'simulator', clientSecret: 'simulator' } }
  const { ConnectionID } = await make('create_connection', app)
  await call('update_connection', { ConnectionID, FieldsToUpdate: { Label: 'x' } })
  const { Link } = await make('authorize_connection', { ConnectionID, RedirectURI: 'http://127.0.0.1:1/callback' })
  const { searchParams } = await decide(String(Link))
  await call('complete_connection', { State: searchParams.get('state'), Code: searchParams.get('code') })
  await recordSignIn(service, FIRST_WORKSPACE, String(ConnectionID), new Error('It was revoked.'))
  await recordSignIn(service, FIRST_WORKSPACE, String(ConnectionID), undefined)
  await call('update_connection', { ConnectionID, FieldsToUpdate: { InUse: true } })
  await service.store.write(FIRST_WORKSPACE, async (writer) => {
    await announceOfConnection(writer, 'resynced', { Resynced: 'gap' })
    await announceOfConnection(writer, 'repaired', { Repaired: { Lead: 2 } })
  })
  await call('update_connection', { ConnectionID, FieldsToUpdate: { InUse: false } })
  await call('delete_connection', { ConnectionID })
  const fair = (await make('create_campaign', { CampaignName: 'Fair of the CRM' })) as StoredRecord
  // As the watch of a CRM finds it.
  const users = await userIdsOn(service.platform, FIRST_WORKSPACE)
  await service.store.write(FIRST_WORKSPACE, (writer) => bring(writer, Campaign, String(fair.CampaignID), fair, { ...fair, CampaignName: 'Fair' }, users))
  const { WorkspaceID } = await make('create_workspace', { Name: 'acme' })
  await call('update_workspace', { WorkspaceID, FieldsToUpdate: { MaxUsers: 5 } })
  await call('pause_workspace', { WorkspaceID })
  await call('resume_workspace', { WorkspaceID })
  const { plan: erasing } = (await (await post('delete_workspace', { WorkspaceID })).json()) as Problem
  await call('delete_workspace', { WorkspaceID }, { 'confirmation-token': erasing?.Token ?? '' })

  const read = async () => ((await (await fetch(`${url}/v1/events?limit=1000`, { headers: { authorization: `Bearer ${key}` } })).json()) as EventPage).Events
  const events = [...(await read())]
  const erased = { Lead: LeadID, Opportunity: OpportunityID, Case: CaseID, Company: CompanyID, Contact: ContactID, CustomObject: ObjectID }
  for (const [RecordType, RecordID] of Object.entries(erased)) await call('erase_record', { RecordType, RecordID })
  const afterwards = await read()
  events.push(...afterwards.slice(events.length))

  const schemas = new Map(EVENT_TYPES.map(({ type, schema }) => [type, closedEvent(schema as never)]))
  for (const event of events) expect([event.Type, wrongWith(schemas.get(event.Type) ?? {}, event)]).toEqual([event.Type, []])
  // Dead letters, which replayed needs, come of deliveries that failed.
  expect(EVENT_TYPES.map(({ type }) => type).filter((type) => !events.some((event) => event.Type === type))).toEqual(['webhook.replayed'])
  for (const event of afterwards.filter(({ RecordID }) => Object.values(erased).includes(RecordID)))
    expect([event.Type, event.Record, wrongWith(schemas.get(event.Type) ?? {}, event)]).toEqual([event.Type, null, []])
})

/** The schema of an event, closed down to the record inside. */
function closedEvent(schema: { properties: { Record: { anyOf?: readonly object[] } } }): object {
  const { Record } = schema.properties
  const inside = Record.anyOf ? { ...Record, anyOf: Record.anyOf.map((one) => closed(one as never)) } : Record
  return closed({ ...schema, properties: { ...schema.properties, Record: inside } } as never)
}
