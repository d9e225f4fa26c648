import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { confirmationOf, SAMPLED, sampleOf } from '../support/samples.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ wrap: (service) => ({ ...service, webhooks: { ...service.webhooks, allowPrivate: true } }) })
})
afterAll(() => server.close())

type Line = Record<string, unknown>
const lines = async (Filters = {}, Limit = 1000) => ((await server.call('get_many_changes', { Filters, Limit })) as { Records: Line[] }).Records

describe('Change-Id', () => {
  test.each(SAMPLED.filter(({ effect }) => effect !== 'read').map((operation) => [operation.id, operation] as const))(
    'of %s names the line it has left in the audit',
    async (id, operation) => {
      const input = await sampleOf(operation, server.call)
      const confirmation = await confirmationOf(operation, input, server.post)
      const [before] = await lines({}, 1)
      const response = await server.post(id, input, { 'x-request-id': `of-${id}`, ...confirmation })
      const [newest] = await lines({}, 1)
      // There are no dead letters to replay.
      if (id === 'replay_deliveries') {
        expect([response.headers.get('change-id'), newest]).toEqual([null, before])
        return
      }
      expect(newest).toMatchObject({ ChangeID: response.headers.get('change-id'), Operation: id, Outcome: 'ok', Transport: 'http', RequestID: `of-${id}` })
    },
  )

  test('is on no answer that has changed nothing', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const { CampaignID } = await server.call('create_campaign', { CampaignName: 'Spring' })
    expect((await server.post('add_leads_to_campaign', { LeadID, CampaignID })).headers.get('change-id')).not.toBeNull()
    for (const [operation, input] of [
      ['add_leads_to_campaign', { LeadID, CampaignID }],
      ['update_lead', { LeadID, FieldsToUpdate: { LastName: 'Lovelace' } }],
      ['get_leads', { LeadID }],
      ['create_a_lead', {}],
      ['delete_lead', { LeadID: 'nobody' }],
    ] as const)
      expect((await server.post(operation, input)).headers.get('change-id')).toBeNull()
  })
})

describe('a refused write', () => {
  const refusals = async (requestId: string) => (await lines()).filter(({ RequestID }) => RequestID === requestId)

  test.each([
    ['a missing input', '{}', {}, 'invalid_input'],
    ['a body that is no JSON', '{', {}, 'invalid_input'],
    ['a body that is too large', ' '.repeat(1_048_577), {}, 'too_large'],
    ['a header that makes no sense', '{}', { 'idempotency-key': 'two words' }, 'invalid_input'],
  ])('leaves a line: %s', async (what, body, headers, code) => {
    const requestId = what.replaceAll(' ', '-')
    await server.post('create_a_lead', body, { ...headers, 'x-request-id': requestId })
    expect(await refusals(requestId)).toMatchObject([{ Operation: 'create_a_lead', Outcome: code, Before: null, After: null, EventType: null }])
  })

  test.each([
    ['by someone unknown', 'create_a_lead', { authorization: 'Bearer nobody' }],
    ['as a dry run', 'create_a_lead', { 'dry-run': 'true' }],
    ['as no write at all', 'get_leads', {}],
  ])('leaves none %s', async (what, operation, headers) => {
    const requestId = what.replaceAll(' ', '-')
    for (const body of ['{', '{}']) await server.post(operation, body, { ...headers, 'x-request-id': requestId })
    expect(await refusals(requestId)).toEqual([])
  })
})
