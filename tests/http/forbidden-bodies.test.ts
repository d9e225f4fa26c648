import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { problemOfRaw, sendRaw } from '../support/raw.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let reader: string
let powerless: string
beforeAll(async () => {
  server = await startServer()
  reader = String((await server.call('create_key', { Scopes: ['read'] })).Key)
  const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'admin' })
  powerless = String((await server.call('create_key', { UserID, Scopes: ['admin'] })).Key)
  await server.call('update_user', { UserID, FieldsToUpdate: { Role: 'member' } })
})
afterAll(() => server.close())

const as = (key: string) => ({ authorization: `Bearer ${key}` })

/** The refusal of a request whose body was announced and never sent. */
async function withoutBody(path: string, key: string, length: number): Promise<{ readonly code: string; readonly detail: string }> {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`
  return problemOfRaw(await sendRaw(server.port, head))
}

async function forbiddenLines(): Promise<unknown[]> {
  const { Records } = await server.call('get_many_changes', { Filters: { Outcome: 'forbidden' }, OrderBy: 'Number asc' })
  return (Records as { Operation: string; RecordID: unknown }[]).map(({ Operation, RecordID }) => [Operation, RecordID])
}

describe('a call that the key does not allow is forbidden, and audited', () => {
  test.each<[string, string | Buffer, string?]>([
    ['that is no JSON', '{"FirstName":'],
    ['that is no UTF-8', Buffer.from([0xc3, 0x28])],
    ['that is nested too deep', '['.repeat(LIMITS.depth + 1)],
    ['that is too large', ' '.repeat(LIMITS.bodyBytes + 1)],
    ['of the wrong type', '{}', 'text/plain'],
  ])('with a body %s', async (_, body, type = 'application/json') => {
    const before = await forbiddenLines()
    const problem = await problemIn(await server.post('create_a_lead', body, { ...as(reader), 'content-type': type }))
    expect(problem).toMatchObject({ code: 'forbidden', detail: 'This key does not allow Create A Lead.' })
    expect(await forbiddenLines()).toEqual([...before, ['create_a_lead', null]])
  })

  test('naming its record', async () => {
    expect((await server.post('delete_lead', { LeadID: 'lead-1' }, as(reader))).status).toBe(403)
    expect((await forbiddenLines()).at(-1)).toEqual(['delete_lead', 'lead-1'])
  })

  test('before a large body has arrived', async () => {
    expect(await withoutBody('/v1/operations/create_a_lead', reader, LIMITS.bodyBytes)).toMatchObject({ code: 'forbidden' })
  })
})

test('a large batch of a key that allows no operation is forbidden before it has arrived', async () => {
  expect(await withoutBody('/v1/batch', powerless, LIMITS.batchBytes)).toMatchObject({ code: 'forbidden' })
})

test.each(['/v1/operations/create_a_lead', '/v1/batch', '/mcp'])('a wrong key is refused before the body has arrived: %s', async (path) => {
  for (const length of [100, LIMITS.batchBytes]) expect(await withoutBody(path, 'crm_wrong', length)).toMatchObject({ code: 'unauthenticated' })
})
