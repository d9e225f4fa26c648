import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const post = (operation: string, input: unknown, dryRun: string, more: Record<string, string> = {}) =>
  server.post(operation, input, { 'dry-run': dryRun, ...more })

/** Everything a write leaves behind. */
const state = async () =>
  JSON.stringify([await server.call('get_many_leads'), await server.call('get_summary_of_leads'), await server.call('get_many_changes'), await events()])
const events = async () => (await fetch(`${server.url}/v1/events`, { headers: { authorization: `Bearer ${server.key}` } })).json()

describe('Dry-Run', () => {
  test.each(['true', 'TRUE', ' True '])('%j says what would be written, and writes nothing', async (said) => {
    const { LeadID } = await server.call('create_a_lead', ADA)
    const before = await state()
    const response = await post('update_lead', { LeadID, FieldsToUpdate: { Status: 'Contacted' } }, said)
    for (const name of ['change-id', 'etag', 'idempotency-replayed']) expect(response.headers.get(name)).toBeNull()
    expect(await response.json()).toEqual({
      DryRun: true,
      WouldWrite: expect.objectContaining({ LeadID, ...ADA, Status: 'Contacted', Revision: 2, UpdatedFields: ['Status'] }),
      Difference: { Status: { From: 'Open', To: 'Contacted' } },
    })
    expect(await state()).toBe(before)
  })

  test.each(['false', 'False'])('%j is as good as none', async (said) => {
    const response = await post('create_a_lead', ADA, said)
    expect(response.headers.get('change-id')).toEqual(expect.any(String))
    expect(await response.json()).toMatchObject(ADA)
  })

  test.each(['', 'yes', '1', 'true, true', 'tru'])('%j is refused, and nothing is carried out', async (said) => {
    const before = ((await server.call('get_summary_of_leads')) as { Total: number }).Total
    const problem = await problemIn(await post('create_a_lead', ADA, said))
    expect(problem).toMatchObject({ code: 'invalid_input', errors: [{ field: 'Dry-Run', code: 'form', expected: 'true or false' }] })
    expect(await server.call('get_summary_of_leads')).toMatchObject({ Total: before })
  })

  test('refuses what would be refused', async () => {
    expect((await problemIn(await post('create_a_lead', { FirstName: 'Ada' }, 'true'))).code).toBe('invalid_input')
    expect((await problemIn(await post('delete_lead', { LeadID: 'nobody' }, 'true'))).code).toBe('not_found')
    expect((await problemIn(await post('create_a_lead', ADA, 'true', { authorization: '' }))).code).toBe('unauthenticated')
    const { LeadID } = await server.call('create_a_lead', ADA)
    expect((await problemIn(await post('delete_lead', { LeadID }, 'true', { 'if-match': '"9"' }))).code).toBe('conflict')
  })

  test('leaves an Idempotency-Key as it was: neither used up nor replayed', async () => {
    const key = { 'idempotency-key': 'tried-before' }
    expect(await (await post('create_a_lead', ADA, 'true', key)).json()).toMatchObject({ DryRun: true })
    expect((await server.post('create_a_lead', ADA, key)).headers.get('idempotency-replayed')).toBeNull()
    expect(await (await post('create_a_lead', ADA, 'true', key)).json()).toMatchObject({ DryRun: true })
  })

  test('says nothing about a read', async () => {
    const before = await server.call('get_summary_of_leads')
    for (const said of ['true', 'yes']) expect(await (await post('get_summary_of_leads', {}, said)).json()).toEqual(before)
  })

  test('shows no secret, as there is none yet', async () => {
    expect(await (await post('create_key', {}, 'true')).json()).toMatchObject({ DryRun: true, WouldWrite: { Key: null, KeyID: null } })
  })
})
