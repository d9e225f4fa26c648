import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createLog } from '../../src/transports/http/log.ts'
import { sendRaw } from '../support/raw.ts'
import { serverForTest } from '../support/server.ts'

const parse = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('a request', () => {
  test('has one line: debug when answered, info when refused', async () => {
    const { post, log } = await serverForTest()
    await post('Create A Lead', { FirstName: 'Ada', LastName: 'Lovelace' }, { 'x-request-id': 'one' })
    await post('create_a_lead', {}, { 'x-request-id': 'two' })
    await post('create_a_lead', {}, { 'x-request-id': 'three', authorization: 'Bearer wrong' })
    expect(parse(log())).toEqual([
      {
        level: 'debug',
        time: expect.any(String),
        msg: 'answered',
        requestId: 'one',
        operation: 'create_a_lead',
        status: 200,
        ms: expect.any(Number),
        userId: expect.any(String),
        keyId: expect.any(String),
      },
      {
        level: 'info',
        time: expect.any(String),
        msg: 'refused',
        requestId: 'two',
        operation: 'create_a_lead',
        status: 400,
        code: 'invalid_input',
        ms: expect.any(Number),
        userId: expect.any(String),
        keyId: expect.any(String),
      },
      {
        level: 'info',
        time: expect.any(String),
        msg: 'refused',
        requestId: 'three',
        operation: 'create_a_lead',
        status: 401,
        code: 'unauthenticated',
        ms: expect.any(Number),
      },
    ])
  })

  test('leaves no key and no body in the log, wherever they were sent', async () => {
    const { post, log, url, port, key, call } = await serverForTest()
    const { Key: other } = (await call('create_key', {})) as { Key: string }
    const body = 'an utterly private remark'
    await post('create_a_lead', { FirstName: body, LastName: key, Email: other })
    await post('create_a_lead', { [body]: key })
    await post('create_a_lead', `{"FirstName": ${key}`)
    await post(key, {})
    await post('get_leads', { LeadID: key })
    await post('get_current_user', {}, { 'x-request-id': key, 'x-api-key': key, cookie: `key=${key}` })
    await post('get_current_user', {}, { authorization: `Basic ${key}` })
    await post('get_current_user', {}, { authorization: `Bearer ${key}x` })
    await fetch(`${url}/${key}?key=${key}`)
    await fetch(`${url}/v1/operations?key=${key}`)
    await fetch(`${url}/v1/operations/${key}`)
    await sendRaw(port, `GET /${key} HTTP/9.9\r\n${key}: ${key}\r\n\r\n`)
    await sendRaw(port, `GET /healthz?${key} HTTP/1.1\r\nHost: x\r\nX-Key: ${key}${'x'.repeat(20_000)}\r\n\r\n`)
    expect(parse(log()).length).toBeGreaterThan(12)
    for (const secret of [key, other, body]) expect(log()).not.toContain(secret)
  })

  test('that failed has no key in its stack', async () => {
    const key = 'a-key-of-the-administrator-s-own-making'
    const { post, log } = await serverForTest({ authenticate: (given) => Promise.reject(new Error(`cannot look up ${given}`)) })
    await post('get_current_user', {}, { authorization: `Bearer ${key}` })
    expect(log()).toContain('cannot look up [redacted]')
    expect(log()).not.toContain(key)
  })
})

describe('the log', () => {
  const capture = (pretty: boolean) => {
    const lines: string[] = []
    const log = createLog({ level: 'info', pretty, destination: { write: (line) => lines.push(line) } })
    return { log, text: () => lines.join('') }
  }

  test('strikes out what is called like a secret, however deep', () => {
    const { log, text } = capture(false)
    const secret = 'hunter2'
    log.info(
      {
        authorization: secret,
        Key: secret,
        key: secret,
        keyId: 'k1',
        deep: { list: [{ password: secret, token: secret }], headers: { Authorization: secret } },
        secret,
      },
      'hello',
    )
    expect(text()).not.toContain(secret)
    expect(text()).toContain('"keyId":"k1"')
    expect(text().match(/\[redacted\]/g)).toHaveLength(7)
  })

  test('is one line a message for people, a stack below', () => {
    const { log, text } = capture(true)
    log.info({ requestId: 'r1', operation: 'create_a_lead', status: 400 }, 'refused')
    log.error({ stack: 'Error: gone\n    at place' }, 'failed')
    const plain = stripVTControlCharacters(text())
    expect(plain).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}refused requestId=r1 operation=create_a_lead status=400\n\d\d:\d\d:\d\d\.\d{3} ERROR failed\n {4}Error: gone\n {8}at place\n$/,
    )
  })

  test('leaves out what is below its level', () => {
    const { log, text } = capture(false)
    log.debug('quiet')
    expect(text()).toBe('')
  })
})
