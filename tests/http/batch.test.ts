import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BatchAnswer } from '../../src/contract/batch.ts'
import type { Problem } from '../../src/contract/errors.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { problemIn, serverForTest, startServer, type TestServer } from '../support/server.ts'

const lead = (LastName: string, Key?: string) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Ada', LastName }, ...(Key !== undefined && { Key }) })

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const post = (body: unknown, headers: Record<string, string> = {}, { url, key } = server) =>
  fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

type Result = Omit<BatchAnswer['Results'][number], 'Error' | 'Result'> & { readonly Error?: Problem; readonly Result?: Record<string, unknown> }

async function resultsOf(response: Response): Promise<readonly Result[]> {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  return ((await response.json()) as { Results: Result[] }).Results
}

const leads = async (LastName: string, { call } = server) =>
  ((await call('get_many_leads', { Filters: { LastName } })) as { Records: unknown[] }).Records.length

describe('a batch', () => {
  test('answers with what became of each call, in order', async () => {
    const Operations = [
      lead('First'),
      { Operation: 'Get Many Leads', Input: { Filters: { LastName: 'First' } } },
      { Operation: 'create_a_lead', Input: { FirstName: 'Ada' } },
      { Operation: 'get_lead' },
      { Operation: 'get_current_user' },
    ]
    const response = await post({ Operations }, { 'x-request-id': 'my-batch' })
    const results = await resultsOf(response)
    expect(results.map(({ Status }) => Status)).toEqual([200, 200, 400, 404, 200])
    const [created, found, invalid, unknown, who] = results
    expect(created).toMatchObject({ Result: { LastName: 'First', Revision: 1 }, ChangeID: expect.any(String) })
    expect(found?.Result).toMatchObject({ Records: [{ LeadID: created?.Result?.LeadID }] })
    expect(found).not.toHaveProperty('ChangeID')
    expect(invalid?.Error).toMatchObject({ code: 'invalid_input', status: 400, requestId: 'my-batch', errors: [{ field: 'LastName', code: 'missing' }] })
    expect(unknown?.Error).toMatchObject({ code: 'not_found', hint: expect.stringContaining('Nearest: get_leads, ') })
    expect(who?.Result).toMatchObject({ Role: 'admin' })
  })

  test('needs for each call what it would need by itself', async () => {
    const { Key } = await server.call('create_key', { Scopes: ['write:Lead'] })
    const Operations = [lead('Scoped'), { Operation: 'create_case', Input: { Subject: 'a', Description: 'b' } }, { Operation: 'get_many_leads' }]
    const results = await resultsOf(await post({ Operations }, { authorization: `Bearer ${Key}` }))
    expect(results.map(({ Status }) => Status)).toEqual([200, 403, 403])
  })

  test('that is atomic is carried out as a whole or not at all', async () => {
    const refused = await resultsOf(await post({ Atomic: true, Operations: [lead('Atomic'), { Operation: 'delete_lead', Input: { LeadID: 'nobody' } }] }))
    expect(refused.map(({ Error: error }) => error?.code)).toEqual(['conflict', 'not_found'])
    expect(await leads('Atomic')).toBe(0)
    await resultsOf(await post({ Atomic: true, Operations: [lead('Atomic'), lead('Atomic')] }))
    expect(await leads('Atomic')).toBe(2)
  })

  test('can be tried', async () => {
    for (const Atomic of [false, true]) {
      const [result] = await resultsOf(await post({ Atomic, Operations: [lead('Tried')] }, { 'dry-run': 'true' }))
      expect(result?.Result).toMatchObject({ DryRun: true, WouldWrite: { LastName: 'Tried', LeadID: null } })
      expect(result).not.toHaveProperty('ChangeID')
    }
    expect(await leads('Tried')).toBe(0)
  })

  test.each([
    ['null', 'input'],
    ['[]', 'input'],
    ['{}', 'Operations'],
    ['{"Operations":[]}', 'Operations'],
    ['{"Operations":[null]}', 'Operations.0'],
    ['{"Operations":[{"Operation":"describe","Input":[]}]}', 'Operations.0.Input'],
    ['{"Operations":[{"Operation":"describe","Key":"two words"}]}', 'Operations.0.Key'],
    ['{"Operations":[{"operation":"describe"}]}', 'Operations.0.operation'],
    ['{"Operations":[{"Operation":"describe"}],"Atomic":"yes"}', 'Atomic'],
  ])('that makes no sense is refused as a whole: %s', async (body, field) => {
    const problem = await problemIn(await post(body))
    expect(problem.code).toBe('invalid_input')
    expect(problem.errors?.map((fault) => fault.field)).toContain(field)
  })

  test('without a key, with a wrong one, or with a bad header is refused as a whole', async () => {
    expect((await problemIn(await post('{', { authorization: '' }))).code).toBe('unauthenticated')
    expect((await problemIn(await post('{', { authorization: 'Bearer wrong' }))).code).toBe('unauthenticated')
    for (const [name, value] of [
      ['idempotency-key', 'two words'],
      ['dry-run', 'maybe'],
    ] as const)
      expect((await problemIn(await post({ Operations: [lead('Unheard')] }, { [name]: value }))).code).toBe('invalid_input')
    expect(await leads('Unheard')).toBe(0)
  })
})

test('If-Match on a batch is refused rather than overlooked, and nothing is written', async () => {
  const response = await post({ Operations: [lead('Matched')] }, { 'if-match': '"99"' })
  expect(await problemIn(response)).toMatchObject({ code: 'invalid_input', detail: expect.stringContaining('If-Match') })
  expect(await leads('Matched')).toBe(0)
})

test('a key in a batch that is none is explained as what it is', async () => {
  const problem = await problemIn(await post({ Operations: [{ ...lead('Keyed'), Key: 'a b' }] }))
  expect(problem.errors).toMatchObject([{ field: 'Operations.0.Key', expected: expect.stringContaining('visible characters') }])
})

describe('an Idempotency-Key on a batch', () => {
  test('makes all of it safe to repeat', async () => {
    const body = { Operations: [lead('Once'), lead('Once'), { Operation: 'get_current_user' }] }
    const [first, again] = [
      await resultsOf(await post(body, { 'idempotency-key': 'batch-1' })),
      await resultsOf(await post(body, { 'idempotency-key': 'batch-1' })),
    ]
    expect(first.map(({ Replayed }) => Replayed)).toEqual([undefined, undefined, undefined])
    expect(again).toEqual([{ ...first[0], Replayed: true }, { ...first[1], Replayed: true }, first[2]])
    expect(await leads('Once')).toBe(2)
  })

  test('gives each call the key with its index, unless it has its own', async () => {
    const body = { Operations: [lead('Keyed', 'of-its-own'), lead('Keyed')] }
    const [own, given] = await resultsOf(await post(body, { 'idempotency-key': 'batch-2' }))
    const repeat = async (key: string) => (await server.post('create_a_lead', lead('Keyed').Input, { 'idempotency-key': key })).json()
    expect(await repeat('of-its-own')).toEqual(own?.Result)
    expect(await repeat('batch-2#1')).toEqual(given?.Result)
    expect(await leads('Keyed')).toBe(2)
  })

  test('used with other calls is a conflict of each', async () => {
    await post({ Operations: [lead('Same')] }, { 'idempotency-key': 'batch-3' })
    const [result] = await resultsOf(await post({ Operations: [lead('Other')] }, { 'idempotency-key': 'batch-3' }))
    expect(result?.Error).toMatchObject({ code: 'conflict', detail: 'This Idempotency-Key was used with another operation or input.' })
  })

  test('tries again what was refused, and not what was carried out', async () => {
    const { LeadID } = await server.call('create_a_lead', lead('Guarded').Input)
    const body = { Operations: [lead('Resumed'), { Operation: 'delete_lead', Input: { LeadID, IfRevision: 2 } }] }
    const first = await resultsOf(await post(body, { 'idempotency-key': 'batch-4' }))
    expect(first[1]?.Error?.code).toBe('conflict')
    await server.call('update_lead', { LeadID, FieldsToUpdate: { Phone: '1' } })
    const again = await resultsOf(await post(body, { 'idempotency-key': 'batch-4' }))
    expect(again).toMatchObject([
      { ...first[0], Replayed: true },
      { Status: 200, Result: { Deleted: true } },
    ])
    expect(await leads('Resumed')).toBe(1)
  })
})

describe('how much a batch may hold', () => {
  test(`is ${LIMITS.batch} calls`, async () => {
    const Operations = Array.from({ length: LIMITS.batch + 1 }, () => lead('Many'))
    expect(await problemIn(await post({ Operations }))).toMatchObject({ code: 'invalid_input', errors: [{ field: 'Operations', code: 'count' }] })
    expect(await leads('Many')).toBe(0)
    const results = await resultsOf(await post({ Operations: Operations.slice(1) }))
    expect(new Set(results.map(({ Status }) => Status))).toEqual(new Set([200]))
    expect(new Set(results.map(({ Result }) => Result?.LeadID)).size).toBe(LIMITS.batch)
  })

  test('is judged before its calls are: five million empty ones are not even parsed', async () => {
    const refusal = {
      code: 'invalid_input',
      detail: 'The batch is invalid: Operations has more than 1000 members.',
      errors: [{ field: 'Operations', code: 'count' }],
    }
    expect(await problemIn(await post(`{"Operations":[${'{},'.repeat(5_000_000)}`))).toMatchObject(refusal)
    expect(await problemIn(await post({ Operations: Array.from({ length: LIMITS.batch + 1 }, () => ({})) }))).toMatchObject(refusal)
  })

  test('holds for the answer too: beyond it a refusal comes without its faults', async () => {
    const Input = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`${'unknown'.repeat(8)}${i}`, 1]))
    const response = await post({ Operations: Array.from({ length: LIMITS.batch }, () => ({ Operation: 'create_a_lead', Input })) })
    const results = await resultsOf(response)
    expect(results.map(({ Error: error }) => error?.code)).toEqual(Array.from({ length: LIMITS.batch }, () => 'invalid_input'))
    expect(results[0]?.Error?.errors).toHaveLength(LIMITS.faults)
    expect(results.at(-1)?.Error).not.toHaveProperty('errors')
    expect(JSON.stringify(results).length).toBeLessThan(LIMITS.batchBytes * 1.1)
  })

  test('is 16 MiB, to the byte', async () => {
    const body = JSON.stringify({ Operations: [lead('Large')] }).padEnd(LIMITS.batchBytes)
    expect((await resultsOf(await post(body)))[0]?.Status).toBe(200)
    expect(await problemIn(await post(`${body} `))).toMatchObject({ code: 'too_large', status: 413, detail: expect.stringContaining('16,777,216') })
    expect(await leads('Large')).toBe(1)
  })

  test('counts call by call against the limit of the key', async () => {
    const limited = await serverForTest({ rateLimit: 10 })
    const ask = (count: number) => post({ Operations: Array.from({ length: count }, () => lead('Limited')) }, {}, limited)
    const four = await ask(4)
    expect([four.headers.get('ratelimit-limit'), four.headers.get('ratelimit-remaining')]).toEqual(['10', '6'])
    const refused = await post('{"Operations":[]}', {}, limited)
    expect([refused.status, refused.headers.get('ratelimit-remaining')]).toEqual([400, '5'])
    expect((await ask(5)).headers.get('ratelimit-remaining')).toBe('0')
    const over = await ask(1)
    expect([over.headers.get('ratelimit-remaining'), over.headers.get('retry-after')]).toEqual(['0', over.headers.get('ratelimit-reset')])
    expect((await problemIn(over)).code).toBe('rate_limited')
    expect((await limited.post('get_current_user')).status).toBe(429)
  })

  test('a batch that cannot be read counts as one call, and is not read once the limit is used up', async () => {
    const limited = await serverForTest({ rateLimit: 2 })
    for (const remaining of ['1', '0']) {
      const response = await post('{', {}, limited)
      expect([response.status, response.headers.get('ratelimit-remaining')]).toEqual([400, remaining])
    }
    expect((await problemIn(await post('{', {}, limited))).code).toBe('rate_limited')
    const three = await serverForTest({ rateLimit: 2 })
    const refused = await post({ Operations: [lead('Three'), lead('Three'), lead('Three')] }, {}, three)
    expect(await problemIn(refused)).toMatchObject({ code: 'rate_limited', hint: 'A batch of 3 calls is more than that; send smaller ones.' })
  })
})

test('batches are counted by their outcome', async () => {
  const counted = await serverForTest()
  await post({ Operations: [lead('Counted')] }, {}, counted)
  await post('{', {}, counted)
  await post('{}', { authorization: 'Bearer wrong' }, counted)
  const metrics = await (await fetch(`${counted.url}/metrics`)).text()
  for (const code of ['ok', 'invalid_input', 'unauthenticated']) expect(metrics).toContain(`crm_calls_total{operation="batch",code="${code}"} 1\n`)
  expect(metrics).toContain('crm_call_seconds_count{operation="batch"} 3\n')
})
