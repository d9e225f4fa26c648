import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../support/raw.ts'
import { confirmationOf, SAMPLED, sampleOf } from '../support/samples.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

let server: TestServer
beforeAll(async () => {
  server = await startServer({ wrap: (service) => ({ ...service, webhooks: { ...service.webhooks, allowPrivate: true } }) })
})
afterAll(() => server.close())

let keys = 0
const newKey = () => `key-${++keys}`
const post = (operation: string, input: unknown, key: string, more: Record<string, string> = {}) =>
  server.post(operation, input, { 'idempotency-key': key, ...more })
const leads = async () => ((await server.call('get_summary_of_leads')) as { Total: number }).Total

/** What a caller sees of an answer but for the request it answers. */
async function seen(response: Response) {
  const { status, headers } = response
  return { status, body: await response.text(), changeId: headers.get('change-id'), etag: headers.get('etag'), replayed: headers.get('idempotency-replayed') }
}

describe('a write with an Idempotency-Key', () => {
  test.each(SAMPLED.filter(({ effect }) => effect !== 'read').map((operation) => [operation.id, operation] as const))(
    '%s is carried out once, and repeating it answers with the same bytes',
    async (id, operation) => {
      const [input, key] = [await sampleOf(operation, server.call), newKey()]
      const confirmation = await confirmationOf(operation, input, server.post)
      const first = await seen(await post(id, input, key, confirmation))
      expect(first).toMatchObject({ status: 200, replayed: null })
      const again = await seen(await post(id, input, key, confirmation))
      expect(again).toMatchObject({ status: 200, replayed: 'true', changeId: first.changeId, etag: first.etag })
      if (!operation.shownOnce) expect(again.body).toBe(first.body)
      else {
        const answer = JSON.parse(first.body) as Record<string, unknown>
        expect(answer[operation.shownOnce]).toEqual(expect.any(String))
        expect(JSON.parse(again.body)).toEqual({ ...answer, [operation.shownOnce]: null, Hint: expect.stringContaining('shown once') })
      }
    },
  )

  test('is known by what it says, not by how: members in another order, another spelling, null for what is left out', async () => {
    const key = newKey()
    const first = await seen(await post('create_a_lead', ADA, key))
    const again = await seen(await post('Create A Lead', { LastName: 'Lovelace', Email: null, FirstName: 'Ada' }, key))
    expect([again.body, again.replayed]).toEqual([first.body, 'true'])
  })

  test('is a conflict when its key was used for something else', async () => {
    const key = newKey()
    const { LeadID } = (await (await post('create_a_lead', ADA, key)).json()) as { LeadID: string }
    const before = await leads()
    for (const [operation, input] of [
      ['create_a_lead', { ...ADA, Email: 'ada@example.com' }],
      ['delete_lead', { LeadID }],
    ] as const) {
      const refused = await post(operation, input, key)
      expect(refused.headers.get('change-id')).toBeNull()
      expect(await problemIn(refused)).toMatchObject({ code: 'conflict', detail: 'This Idempotency-Key was used with another operation or input.' })
    }
    expect(await leads()).toBe(before)
  })

  test('is a conflict when it is guarded by another revision than before', async () => {
    const { LeadID } = await server.call('create_a_lead', ADA)
    const [input, key] = [{ LeadID, FieldsToUpdate: { Phone: '1' } }, newKey()]
    expect((await post('update_lead', input, key, { 'if-match': '"1"' })).status).toBe(200)
    expect(await seen(await post('update_lead', { ...input, IfRevision: 1 }, key))).toMatchObject({ status: 200, replayed: 'true' })
    expect((await problemIn(await post('update_lead', input, key, { 'if-match': '"2"' }))).code).toBe('conflict')
    expect((await problemIn(await post('update_lead', input, key))).code).toBe('conflict')
  })

  test('does not use its key up when it is refused', async () => {
    const key = newKey()
    expect((await problemIn(await post('create_a_lead', { FirstName: 'Ada' }, key))).code).toBe('invalid_input')
    expect((await problemIn(await post('delete_lead', { LeadID: 'nobody' }, key))).code).toBe('not_found')
    expect(await seen(await post('create_a_lead', ADA, key))).toMatchObject({ status: 200, replayed: null })
  })

  test('is carried out once though it is sent ten times at once', async () => {
    const [key, before] = [newKey(), await leads()]
    const answers = await Promise.all(Array.from({ length: 10 }, async () => seen(await post('create_a_lead', ADA, key))))
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done.map(({ body }) => body)).size).toBe(1)
    for (const { body } of answers.filter(({ status }) => status !== 200)) expect(JSON.parse(body)).toMatchObject({ code: 'in_progress', retryable: true })
    expect(await leads()).toBe(before + 1)
  })

  test('shares its key with nobody else', async () => {
    const key = newKey()
    const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'admin' })
    const { Key } = await server.call('create_key', { UserID })
    const [mine, theirs] = [await post('create_a_lead', ADA, key), await post('create_a_lead', ADA, key, { authorization: `Bearer ${Key}` })]
    expect([mine.headers.get('idempotency-replayed'), theirs.headers.get('idempotency-replayed')]).toEqual([null, null])
    expect(((await mine.json()) as { LeadID: string }).LeadID).not.toBe(((await theirs.json()) as { LeadID: string }).LeadID)
  })
})

describe('an Idempotency-Key', () => {
  test.each([
    ['empty', ''],
    ['with a space in it', 'two words'],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a letter that is not ASCII', 'schlüssel'],
    ['with nothing between its quotes', '""'],
  ])('%s is refused, and nothing is carried out', async (_, key) => {
    const before = await leads()
    const problem = await problemIn(await post('create_a_lead', ADA, key))
    expect(problem).toMatchObject({ code: 'invalid_input', detail: 'The header Idempotency-Key is not acceptable.' })
    expect(problem.errors).toEqual([
      { field: 'Idempotency-Key', code: 'form', message: problem.detail, expected: '1 to 255 visible characters without spaces' },
    ])
    expect(await leads()).toBe(before)
  })

  test('in UTF-8, or given twice, is refused too', async () => {
    const body = JSON.stringify(ADA)
    for (const lines of ['Idempotency-Key: 钥匙\r\n', 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n']) {
      const head = `POST /v1/operations/create_a_lead HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${server.key}\r\n${lines}Content-Length: ${body.length}\r\n\r\n`
      expect(JSON.parse((await sendRaw(server.port, Buffer.from(head), body)).body)).toMatchObject({ code: 'invalid_input' })
    }
  })

  test('may have 255 characters', async () => {
    const key = 'k'.repeat(255)
    expect((await post('create_a_lead', ADA, key)).status).toBe(200)
    expect((await post('create_a_lead', ADA, key)).headers.get('idempotency-replayed')).toBe('true')
  })

  test('is the same in quotes and without', async () => {
    const key = newKey()
    const first = await seen(await post('create_a_lead', ADA, `"${key}"`))
    expect(await seen(await post('create_a_lead', ADA, key))).toMatchObject({ body: first.body, replayed: 'true' })
  })

  test('says nothing about a read, whatever it looks like', async () => {
    const key = newKey()
    for (const each of [key, key, 'two words']) {
      const response = await post('get_summary_of_leads', {}, each)
      expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, null])
    }
    expect(await seen(await post('create_a_lead', ADA, key))).toMatchObject({ status: 200, replayed: null })
  })
})
