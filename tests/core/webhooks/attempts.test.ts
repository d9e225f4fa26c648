import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sweep } from '../../../src/core/journal/housekeeping.ts'
import { delivering } from '../../support/courier.ts'
import { startTarget } from '../../support/webhook-target.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const SOON = { timeout: 60_000, interval: 20 }
type Crm = Awaited<ReturnType<typeof delivering>>['crm']

const logOf = async (crm: Crm, WebhookID: string) => (await crm.webhooks.getManyAttempts({ Filters: { WebhookID } })).Records

test('the log has every attempt with request, answer and time, without secrets', async () => {
  const { crm, start } = await delivering()
  let failures = 1
  const server = createServer((request, response) => {
    request.resume()
    const status = failures-- > 0 ? 503 : 200
    response.writeHead(status, { 'Set-Cookie': 'session=secret', 'X-Api-Key': 'secret', 'X-Served-By': 'target' }).end(`\0${'ü'.repeat(3000)}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const hook = await crm.webhooks.create({ URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, EventTypes: ['lead.created'] })
  start()
  const { LeadID } = await crm.leads.create(ADA)
  await vi.waitFor(async () => expect((await logOf(crm, hook.WebhookID)).some(({ Delivered }) => Delivered)).toBe(true), SOON)
  const [delivered, failed, ...others] = await logOf(crm, hook.WebhookID)
  expect(others).toEqual([])
  expect(failed).toMatchObject({ Delivered: false, Status: 503, EventType: 'lead.created', RecordID: LeadID, EventID: delivered?.EventID })
  expect(delivered).toMatchObject({
    Delivered: true,
    Status: 200,
    Error: null,
    AnswerHeaders: { 'x-served-by': 'target', 'set-cookie': '•••', 'x-api-key': '•••' },
  })
  expect(delivered?.Milliseconds).toBeGreaterThanOrEqual(0)
  expect(delivered?.RequestHeaders).toMatchObject({
    'webhook-id': `${hook.WebhookID}-${delivered?.EventID}`,
    'webhook-signature': '•••',
    'Content-Type': 'application/json',
  })
  // 4096 bytes are the NUL, 2047 characters of two bytes, and half of one.
  expect(delivered?.AnswerBody).toBe(`\uFFFD${'ü'.repeat(2047)}`)
  const { Events } = await crm.events.getMany({ After: String(Number(delivered?.EventID) - 1), Limit: 1 })
  expect(Events[0]).toMatchObject({ EventID: delivered?.EventID, Record: ADA })
})

test('what was delivered is sent again when asked, and the log keeps the newest 100', async () => {
  const { crm, start } = await delivering()
  const target = await startTarget()
  const hook = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.created'] })
  start()
  const first = await crm.leads.create(ADA)
  await vi.waitFor(async () => expect(await logOf(crm, hook.WebhookID)).toHaveLength(1), SOON)
  const [{ AttemptID } = { AttemptID: '' }] = await logOf(crm, hook.WebhookID)
  expect(await crm.webhooks.replayDeliveries({ WebhookID: hook.WebhookID, AttemptIDs: [AttemptID] })).toMatchObject({ Replayed: 1 })
  await vi.waitFor(() => expect(target.accepted().map(({ RecordID }) => RecordID)).toEqual([first.LeadID, first.LeadID]), SOON)
  expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)

  for (let i = 0; i < 101; i++) await crm.leads.create(ADA)
  await vi.waitFor(() => expect(target.accepted()).toHaveLength(103), SOON)
  await vi.waitFor(
    async () => expect((await crm.webhooks.getManyAttempts({ Filters: { WebhookID: hook.WebhookID }, Limit: 1000 })).Records).toHaveLength(100),
    SOON,
  )
  expect((await crm.webhooks.getManyAttempts({ Filters: { AttemptID } })).Records).toEqual([])
})

test('an erased record, a deleted webhook and time leave nothing in the log', async () => {
  const { crm, start, service } = await delivering()
  const target = await startTarget()
  const [first, second] = [await crm.webhooks.create({ URL: target.url }), await crm.webhooks.create({ URL: target.url })]
  start()
  const [erased, kept] = [await crm.leads.create(ADA), await crm.leads.create(ADA)]
  const attemptsOf = async (RecordID: string) => (await crm.webhooks.getManyAttempts({ Filters: { RecordID } })).Records
  for (const { LeadID } of [erased, kept]) await vi.waitFor(async () => expect(await attemptsOf(LeadID)).toHaveLength(2), SOON)
  const before = (await attemptsOf(erased.LeadID)).map(({ AttemptID }) => AttemptID)
  await crm.changes.erase({ RecordType: 'Lead', RecordID: erased.LeadID })
  expect((await crm.webhooks.getManyAttempts({ Filters: { AttemptID: { in: before } } })).Records).toEqual([])
  expect(await attemptsOf(kept.LeadID)).toHaveLength(2)

  await crm.webhooks.delete({ WebhookID: first.WebhookID })
  expect((await attemptsOf(kept.LeadID)).map(({ WebhookID }) => WebhookID)).toEqual([second.WebhookID])
  await sweep({ ...service, now: () => new Date(Date.now() + 29 * 86_400_000) })
  expect(await attemptsOf(kept.LeadID)).toHaveLength(1)
  await sweep({ ...service, now: () => new Date(Date.now() + 31 * 86_400_000) })
  expect(await attemptsOf(kept.LeadID)).toEqual([])
})
