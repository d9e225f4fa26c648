import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { createAuthenticator } from '../../../src/core/access/authenticate.ts'
import { execute } from '../../../src/core/call/execute.ts'
import { delivering } from '../../support/courier.ts'
import { startTarget } from '../../support/webhook-target.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const SOON = { timeout: 60_000, interval: 20 }

describe('a webhook', () => {
  test('is given what happens from its making on, signed, each event once', async () => {
    const { crm, start, troubles } = await delivering()
    const target = await startTarget()
    await crm.leads.create(ADA)
    const hook = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] })
    start()
    const lead = await crm.leads.create(ADA)
    await crm.cases.create({ Subject: 'Jam', Description: 'It jams.' })
    await crm.leads.update({ LeadID: lead.LeadID, FieldsToUpdate: { Email: 'ada@example.com' } })
    await crm.leads.addNote({ LeadID: lead.LeadID, Note: 'Called.' })
    await crm.leads.delete({ LeadID: lead.LeadID })
    await vi.waitFor(() => expect(target.received).toHaveLength(4), SOON)
    expect(target.accepted().map(({ Type }) => Type)).toEqual(['lead.created', 'lead.updated', 'lead.note_added', 'lead.deleted'])
    const verifier = new Verifier(hook.Secret)
    for (const { body, headers, event } of target.received) expect(verifier.verify(body, headers as Record<string, string>)).toEqual(event)
    const { Events } = await crm.events.getMany({})
    expect(target.accepted()).toEqual(Events.filter(({ RecordID }) => RecordID === lead.LeadID))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(target.received).toHaveLength(4)
    expect(troubles).toEqual([])
  })

  test('is given no notes where its maker may not read them', async () => {
    const { crm, start, service } = await delivering()
    const target = await startTarget()
    const { Key } = await crm.keys.create({ Scopes: ['admin', 'read:get_many_leads'] })
    const caller = await createAuthenticator(service)(Key)
    await execute(service, { operation: 'create_webhook', input: { URL: target.url, EventTypes: ['lead.*'] }, caller })
    start()
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.addNote({ LeadID, Note: 'Said.' })
    await crm.leads.delete({ LeadID })
    await vi.waitFor(() => expect(target.accepted().map(({ Type }) => Type)).toEqual(['lead.created', 'lead.deleted']), SOON)
  })

  test('that fails is tried again, in order for each record, and holds up no other record', async () => {
    const { crm, start } = await delivering()
    const target = await startTarget()
    await crm.webhooks.create({ URL: target.url })
    const [sick, well] = [await crm.leads.create(ADA), await crm.leads.create(ADA)]
    let refusals = 2
    target.answer = ({ RecordID }) => (RecordID === sick.LeadID && refusals-- > 0 ? 500 : 200)
    for (const { LeadID } of [sick, well, sick, well]) await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: String(Math.random()) } })
    start()
    await vi.waitFor(() => expect(target.accepted().filter(({ RecordType }) => RecordType === 'Lead')).toHaveLength(6), SOON)
    for (const { LeadID } of [sick, well]) {
      const revisions = target.accepted().flatMap(({ RecordID, Record }) => (RecordID === LeadID ? [Record?.Revision] : []))
      expect(revisions).toEqual([1, 2, 3])
    }
    const last = target.received.map(({ event, status }) => `${event.RecordID === sick.LeadID ? 'sick' : 'well'} ${status}`)
    expect(last.lastIndexOf('well 200')).toBeLessThan(last.lastIndexOf('sick 200'))
    await vi.waitFor(async () => expect((await crm.webhooks.getManyDeliveries({})).Records).toEqual([]), SOON)
    expect((await crm.webhooks.getMany({})).Records[0]).toMatchObject({ Active: true, FailingSince: null })
  })

  test('gives an event up after so many attempts, and sends dead letters again when asked', async () => {
    const { crm, start } = await delivering({ attempts: 3 })
    const target = await startTarget()
    const hook = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.created'] })
    target.answer = ({ Record }) => (Record?.LastName === 'Poison' ? 422 : 200)
    start()
    const poison = await crm.leads.create({ ...ADA, LastName: 'Poison' })
    await vi.waitFor(async () => expect((await crm.webhooks.getManyDeliveries({ Filters: { State: 'dead' } })).Records).toHaveLength(1), SOON)
    const [dead] = (await crm.webhooks.getManyDeliveries({})).Records
    expect(dead).toMatchObject({
      WebhookID: hook.WebhookID,
      RecordID: poison.LeadID,
      EventType: 'lead.created',
      Attempts: 3,
      LastStatus: 422,
      NextAttempt: null,
    })
    expect(dead?.LastError).toMatch(/422/)
    expect(target.received).toHaveLength(3)
    await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.accepted()).toHaveLength(1), SOON)

    target.answer = () => 200
    expect(await crm.webhooks.replayDeliveries({ WebhookID: hook.WebhookID })).toEqual({ WebhookID: hook.WebhookID, Replayed: 1 })
    await vi.waitFor(() => expect(target.accepted().map(({ RecordID }) => RecordID)).toContain(poison.LeadID), SOON)
    await vi.waitFor(async () => expect((await crm.webhooks.getManyDeliveries({})).Records).toEqual([]), SOON)
  })

  test('whose target is down loses nothing and catches up', async () => {
    const { crm, start } = await delivering({ attempts: 100 })
    const target = await startTarget()
    await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.created'] })
    target.answer = () => 503
    start()
    const made: string[] = []
    for (let i = 0; i < 150; i++) made.push((await crm.leads.create(ADA)).LeadID)
    await vi.waitFor(async () => expect((await crm.webhooks.getMany({})).Records[0]?.FailingSince).not.toBeNull(), SOON)
    // It is knocked at, not stormed: far fewer attempts than events.
    expect(target.received.length).toBeLessThan(made.length)
    target.answer = () => 200
    await vi.waitFor(() => expect(new Set(target.accepted().map(({ RecordID }) => RecordID))).toEqual(new Set(made)), SOON)
    expect(target.accepted()).toHaveLength(made.length)
  })

  test('that has failed for too long, or whose target is gone, is paused and can be resumed', async () => {
    const { crm, start, told } = await delivering({ pauseAfterMs: 100 })
    const target = await startTarget()
    const hook = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] })
    target.answer = () => 500
    start()
    await crm.leads.create(ADA)
    await vi.waitFor(async () => expect((await crm.webhooks.getMany({})).Records[0]?.Active).toBe(false), SOON)
    expect((await crm.webhooks.getMany({})).Records[0]?.PausedReason).toMatch(/have failed since .*500/)
    expect(told).toContain('paused')
    const [line] = (await crm.changes.getMany({ Filters: { RecordID: hook.WebhookID } })).Records
    expect(line).toMatchObject({ Operation: 'update_webhook', Transport: 'service', Outcome: 'ok' })

    await crm.leads.create(ADA)
    target.answer = () => 200
    expect(await crm.webhooks.update({ WebhookID: hook.WebhookID, FieldsToUpdate: { Active: true } })).toMatchObject({ PausedReason: null, FailingSince: null })
    await vi.waitFor(() => expect(target.accepted()).toHaveLength(2), SOON)

    target.answer = () => 410
    await crm.leads.create(ADA)
    await vi.waitFor(async () => expect((await crm.webhooks.getMany({})).Records[0]?.PausedReason).toMatch(/410/), SOON)
  })

  test('that hangs or dribbles holds up no other webhook and no caller', async () => {
    const { crm, start } = await delivering({ timeoutMs: 60_000 })
    const [stuck, quick] = [await startTarget(), await startTarget()]
    stuck.answer = (_, response) => {
      const timer = setInterval(() => response.writeContinue(), 20)
      response.on('close', () => clearInterval(timer))
      return undefined
    }
    await crm.webhooks.create({ URL: stuck.url })
    await crm.webhooks.create({ URL: quick.url, EventTypes: ['lead.created'] })
    start()
    for (let i = 0; i < 50; i++) await crm.leads.create(ADA)
    await vi.waitFor(() => expect(quick.accepted()).toHaveLength(50), SOON)
    expect(stuck.accepted()).toEqual([])
  })

  test('is delivered by one process at a time, and taken over when that one stops', async () => {
    const { crm, start } = await delivering({ timeoutMs: 60_000 })
    const target = await startTarget()
    await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.created'] })
    const first = start()
    await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.accepted()).toHaveLength(1), SOON)
    start()
    for (let i = 0; i < 20; i++) await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.accepted()).toHaveLength(21), SOON)
    await first.stop()
    await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.accepted()).toHaveLength(22), SOON)
  })

  test('gets only what its owner may see, and nothing once they are inactive', async () => {
    const { crm, start } = await delivering()
    const target = await startTarget()
    const member = await crm.users.create({ Name: 'Grace' })
    const hook = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] })
    await crm.webhooks.update({ WebhookID: hook.WebhookID, FieldsToUpdate: { OwnerID: member.UserID } })
    start()
    const mine = await crm.leads.create(ADA)
    const theirs = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID: theirs.LeadID, FieldsToUpdate: { OwnerID: member.UserID } })
    await vi.waitFor(() => expect(target.accepted().map(({ Type }) => Type)).toContain('lead.updated'), SOON)
    expect(target.accepted().map(({ RecordID }) => RecordID)).not.toContain(mine.LeadID)
    for (const { event, headers } of target.received) {
      expect(event.EventID).toMatch(/^evt_/)
      expect(headers['webhook-id']).toBe(`${hook.WebhookID}-${event.EventID}`)
    }
    await crm.users.update({ UserID: member.UserID, FieldsToUpdate: { Active: false } })
    await vi.waitFor(async () => expect((await crm.webhooks.getMany({})).Records[0]?.PausedReason).toMatch(/owner/), SOON)
  })

  test('of a member is tried again with the same id, and in the order of the events', async () => {
    const { crm, start } = await delivering()
    const target = await startTarget()
    const { UserID: OwnerID } = await crm.users.create({ Name: 'Grace' })
    const { WebhookID } = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] })
    await crm.webhooks.update({ WebhookID, FieldsToUpdate: { OwnerID } })
    let refusals = 2
    target.answer = () => (refusals-- > 0 ? 500 : 200)
    const { LeadID } = await crm.leads.create(ADA)
    for (const FieldsToUpdate of [{ OwnerID }, { Phone: '1' }, { Phone: '2' }]) await crm.leads.update({ LeadID, FieldsToUpdate })
    start()
    await vi.waitFor(() => expect(target.accepted()).toHaveLength(4), SOON)
    expect(target.accepted().map(({ Record }) => Record?.Revision)).toEqual([1, 2, 3, 4])
    const [first, again] = target.received.map(({ event }) => event.EventID)
    expect(again).toBe(first)
    expect(new Set(target.accepted().map(({ EventID }) => EventID)).size).toBe(4)
  })

  test('gets no events that the key which made it may not read', async () => {
    const { crm, service, start } = await delivering()
    const [narrow, wide] = [await startTarget(), await startTarget()]
    const { Key } = await crm.keys.create({ Scopes: ['admin:Webhook', 'read:Case'] })
    const caller = await createAuthenticator(service)(Key)
    await execute(service, { operation: 'create_webhook', input: { URL: narrow.url }, caller })
    await crm.webhooks.create({ URL: wide.url })
    start()
    await crm.leads.create(ADA)
    await crm.users.create({ Name: 'Grace' })
    await crm.cases.create({ Subject: 'Jam', Description: 'It jams.' })
    await vi.waitFor(() => expect(wide.accepted().map(({ Type }) => Type)).toContain('case.created'), SOON)
    await vi.waitFor(() => expect(narrow.accepted().map(({ Type }) => Type)).toContain('case.created'), SOON)
    expect(wide.accepted().map(({ Type }) => Type)).toEqual(expect.arrayContaining(['lead.created', 'user.created']))
    expect(narrow.accepted().filter(({ RecordType }) => RecordType === 'Lead' || RecordType === 'User')).toEqual([])
  })

  test('whose target was down is tried at once when somebody changes it or has its dead letters sent again', async () => {
    const { crm, start } = await delivering({ backoffMs: 3_600_000, attempts: 5 })
    const target = await startTarget()
    target.answer = () => 500
    const hook = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.created'] })
    start()
    for (let i = 0; i < 5; i++) await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.received.length).toBeGreaterThanOrEqual(3), SOON)
    target.answer = () => 200
    await crm.webhooks.update({ WebhookID: hook.WebhookID, FieldsToUpdate: { Active: true } })
    await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.accepted().length).toBeGreaterThanOrEqual(1), SOON)
  })

  test('signs with both secrets after they were rotated', async () => {
    const { crm } = await delivering()
    const target = await startTarget()
    const hook = await crm.webhooks.create({ URL: target.url })
    const rotated = await crm.webhooks.rotateSecret({ WebhookID: hook.WebhookID })
    expect(rotated.Secret).not.toBe(hook.Secret)
    expect(await crm.webhooks.test({ WebhookID: hook.WebhookID })).toMatchObject({ Delivered: true, Status: 204, Error: null })
    const [{ body, headers, event } = expect.fail('nothing came')] = target.received
    for (const secret of [hook.Secret, rotated.Secret]) expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toEqual(event)
    expect(event.Type).toBe('webhook.test')
  })

  test('has its test events in the log, which are not sent again', async () => {
    const { crm } = await delivering()
    const target = await startTarget()
    const { WebhookID } = await crm.webhooks.create({ URL: target.url })
    target.answer = () => 500
    await crm.webhooks.test({ WebhookID })
    const { Records } = await crm.webhooks.getManyAttempts({ Filters: { WebhookID } })
    expect(Records).toMatchObject([
      { EventType: 'webhook.test', EventID: target.received[0]?.event.EventID, RecordID: WebhookID, Delivered: false, Status: 500 },
    ])
    expect(JSON.stringify(Records)).not.toContain(String(target.received[0]?.headers['webhook-signature']))
    await expect(crm.webhooks.replayDeliveries({ WebhookID, AttemptIDs: [Records[0]?.AttemptID as string] })).rejects.toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'AttemptIDs' }],
    })
    expect((await crm.webhooks.getManyDeliveries({ Filters: { WebhookID } })).Records).toEqual([])
  })

  test('on a private network is refused when made, when changed and when delivered to', async () => {
    const { crm, service } = await delivering()
    const target = await startTarget()
    const hook = await crm.webhooks.create({ URL: target.url })
    ;(service.webhooks as { allowPrivate: boolean }).allowPrivate = false
    await expect(crm.webhooks.create({ URL: 'http://127.0.0.1:1/' })).rejects.toMatchObject({ code: 'invalid_input', errors: [{ field: 'URL' }] })
    await expect(crm.webhooks.update({ WebhookID: hook.WebhookID, FieldsToUpdate: { URL: 'http://[::1]/' } })).rejects.toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'FieldsToUpdate.URL' }],
    })
    expect(await crm.webhooks.test({ WebhookID: hook.WebhookID })).toMatchObject({ Delivered: false, Status: null, Error: expect.stringContaining('private') })
    expect(target.received).toEqual([])
  })

  test('wants events that exist', async () => {
    const { crm } = await delivering()
    await expect(crm.webhooks.create({ URL: 'https://example.com/', EventTypes: ['lead.creatd', 'leads.*'] })).rejects.toMatchObject({
      errors: [
        { field: 'EventTypes.0', didYouMean: 'lead.created' },
        { field: 'EventTypes.1', didYouMean: 'lead.*' },
      ],
    })
  })

  test('leaves no deliveries behind when it is deleted', async () => {
    const { crm, start } = await delivering()
    const target = await startTarget()
    target.answer = () => 500
    const hook = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.created'] })
    start()
    await crm.leads.create(ADA)
    await vi.waitFor(async () => expect((await crm.webhooks.getManyDeliveries({})).Records).toHaveLength(1), SOON)
    await crm.webhooks.delete({ WebhookID: hook.WebhookID })
    expect((await crm.webhooks.getManyDeliveries({})).Records).toEqual([])
  })
})
