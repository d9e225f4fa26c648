import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { describeSyntaxError } from '../../src/transports/http/json-syntax.ts'
import { sendRaw } from '../support/raw.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const refused = async (body: string | Uint8Array, headers?: Record<string, string>) => problemIn(await server.post('create_a_lead', body, headers))

describe('a body is refused', () => {
  test('when it is not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"FirstName":"'), Buffer.from([0xc3, 0x28]), Buffer.from('","LastName":"x"}')])
    expect(await refused(body)).toMatchObject({ code: 'invalid_input', detail: 'The body is not valid UTF-8.' })
  })

  test('when it is not JSON, saying where and quoting nothing of it', async () => {
    const problem = await refused('{"FirstName": "Ada",\n "LastName": hunter2}')
    expect(problem).toMatchObject({ code: 'invalid_input', detail: 'The body is not valid JSON: at line 2, column 14, where a value was expected.' })
    expect(JSON.stringify(problem)).not.toContain('hunter2')
  })

  test.each(['[]', '"text"', '17', 'null', 'true', '[{"FirstName":"Ada"}]'])('when it is no object: %s', async (body) => {
    expect((await refused(body)).code).toBe('invalid_input')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/xml',
    'nonsense',
    ';',
    'application/json; charset=utf-8; charset=latin1',
    'application/json;;;',
    `application/json${' '.repeat(15_000)}x`,
  ])('when its type is %s', async (type) => {
    const problem = await refused('{"FirstName":"Ada","LastName":"Lovelace"}', { 'content-type': type })
    expect(problem).toMatchObject({ code: 'invalid_input', hint: 'Send the header Content-Type: application/json.' })
  })

  test('when it is compressed', async () => {
    expect(await refused('{}', { 'content-encoding': 'gzip' })).toMatchObject({ code: 'invalid_input', detail: 'The body must not be compressed.' })
  })

  test('when it is one byte over 1 MiB, whether its length is announced or not, and the connection lives on', async () => {
    const body = JSON.stringify({ FirstName: 'x'.repeat(LIMITS.bodyBytes - 15) })
    expect(Buffer.byteLength(body)).toBe(LIMITS.bodyBytes + 1)
    expect(await refused(body)).toMatchObject({ code: 'too_large', status: 413 })
    const chunked = await fetch(`${server.url}/v1/operations/create_a_lead`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: new Blob([body, ' '.repeat(3_000_000)]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(await problemIn(chunked)).toMatchObject({ code: 'too_large', status: 413 })
    expect((await server.post('get_current_user')).status).toBe(200)
  })

  test('when it ends early', async () => {
    const before = server.log().length
    const head = `POST /v1/operations/create_a_lead HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: 100\r\n\r\n{"First`
    const { connect } = await import('node:net')
    const socket = connect(server.port, '127.0.0.1')
    await new Promise((resolve) => socket.write(head, resolve))
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    await expect.poll(() => server.log().slice(before)).toContain('"code":"invalid_input"')
  })
})

describe('how much a body holds is judged before it is parsed', () => {
  /** Nothing after the first value is JSON, which shows that it was not parsed. */
  const list = (values: number, item: string) => `{"Select":[${`${item},`.repeat(values)} no JSON`

  test.each(['{}', '1', '"a, b, {"', '[1]'])('a list of %s', async (item) => {
    const most = await refused(list(LIMITS.values / 4, item))
    expect(most).toMatchObject({ code: 'invalid_input', detail: expect.stringContaining('not valid JSON') })
    const more = await refused(list(LIMITS.values, item))
    expect(more).toMatchObject({ code: 'too_large', status: 413, detail: 'The body holds more than 100,000 values.' })
  })

  test('levels of lists and objects', async () => {
    const nested = (levels: number) => `{"FirstName":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect((await refused(nested(LIMITS.depth))).errors).toMatchObject([{ field: 'LastName' }, { field: 'FirstName', code: 'type' }])
    expect(await refused(nested(LIMITS.depth + 1))).toMatchObject({ code: 'invalid_input', detail: 'The body is nested more than 64 levels deep.' })
  })

  test('brackets and commas in a text are part of the text', async () => {
    const Note = `${'["\\'.repeat(100)}${',{'.repeat(10_000)}`
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    expect((await server.post('add_notes_to_leads', { LeadID, Note })).status).toBe(200)
  })
})

describe('a refusal of too many members names the member, and nothing of what it holds', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`Member${i}`, {}]))

  test.each<[string, object, string]>([
    ['create_a_lead', many(40_000), 'input'],
    ['update_lead', { LeadID: 'a', FieldsToUpdate: many(40_000) }, 'FieldsToUpdate'],
    ['create_custom_object', { ObjectName: 'Boat', Fields: many(40_000) }, 'Fields'],
    ['get_many_leads', { Select: Array.from({ length: 90_000 }, () => 1) }, 'Select'],
    ['create_key', { Scopes: Array.from({ length: 90_000 }, () => 1) }, 'Scopes'],
  ])('%s', async (operation, input, field) => {
    const problem = await problemIn(await server.post(operation, input))
    expect(problem).toMatchObject({ code: 'invalid_input', errors: [{ field, code: 'count' }] })
  })

  test('up to a hundred unknown ones are named each', async () => {
    const problem = await refused(JSON.stringify({ FirstName: 'Ada', LastName: 'Lovelace', ...many(99) }))
    expect(problem.errors?.map(({ code }) => code)).toEqual(Array.from({ length: 99 }, () => 'unknown'))
  })
})

describe('a body is accepted', () => {
  test('of exactly 1 MiB: what is refused then is its content', async () => {
    const body = JSON.stringify({ FirstName: 'x'.repeat(LIMITS.bodyBytes - 16) })
    expect(Buffer.byteLength(body)).toBe(LIMITS.bodyBytes)
    expect((await refused(body)).code).toBe('invalid_input')
  })

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/vnd.crm+json',
    'application/json ;',
    'application/json; charset=utf-8 ;',
  ])('as %s', async (type) => {
    expect((await server.post('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }, { 'content-type': type })).status).toBe(200)
  })

  test('with a byte order mark, or of blanks only', async () => {
    expect((await server.post('get_current_user', '\uFEFF{}')).status).toBe(200)
    expect((await server.post('get_current_user', ' \n')).status).toBe(200)
  })

  test('in pieces that cut a character in two', async () => {
    const body = Buffer.from('{"FirstName":"Zoë","LastName":"Ångström"}')
    const at = body.indexOf(0xc3) + 1
    const head = `POST /v1/operations/create_a_lead HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: ${body.length}\r\n\r\n`
    const answer = await sendRaw(server.port, head, body.subarray(0, at), body.subarray(at))
    expect(JSON.parse(answer.body)).toMatchObject({ FirstName: 'Zoë', LastName: 'Ångström' })
  })
})

describe('a hostile body does no harm', () => {
  test('__proto__ and constructor are ordinary names, and unknown ones', async () => {
    const problem = await refused('{"FirstName":"Ada","LastName":"L","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}')
    expect(problem.errors?.map(({ field }) => field)).toEqual(expect.arrayContaining(['__proto__', 'constructor']))
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test.each(['[', '{"a":'])('100,000 levels of %s', async (open) => {
    const close = open === '[' ? ']' : '}'
    const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`
    expect((await refused(deep)).code).toBe('invalid_input')
    expect((await refused(`{"FirstName":${deep},"LastName":"x"}`)).code).toBe('invalid_input')
    expect((await refused(open.repeat(100_000))).code).toBe('invalid_input')
  })
})

describe('the place where JSON ends', () => {
  test.each([
    ['', 'it ends too early, at line 1, column 1, where a value'],
    ['{', 'it ends too early, at line 1, column 2, where a name in double quotes or }'],
    ['{"a"', 'it ends too early, at line 1, column 5, where a colon'],
    ['{"a":1', 'it ends too early, at line 1, column 7, where a comma or }'],
    ['[1 2]', 'at line 1, column 4, where a comma or ]'],
    ['[1,]', 'at line 1, column 4, where a value'],
    ['{"a":1,}', 'at line 1, column 8, where a name in double quotes'],
    ["{'a':1}", 'at line 1, column 2, where a name in double quotes or }'],
    ['{"a":01}', 'at line 1, column 6, where a value'],
    ['{"a":1}}', 'at line 1, column 8, where nothing more'],
    ['[1}', 'at line 1, column 3, where a comma or ]'],
    ['"a\nb"', 'at line 1, column 3, where an escape such as \\n instead of a control character'],
    ['"\\x"', 'at line 1, column 2, where one of the escapes JSON knows'],
    ['"abc', 'it ends too early, at line 1, column 5, where the closing double quote'],
    ['{\n  "a": tru\n}', 'at line 2, column 8, where a value'],
    ['NaN', 'at line 1, column 1, where a value'],
  ])('%j', (text, where) => {
    expect(() => JSON.parse(text) as unknown).toThrow()
    expect(describeSyntaxError(text)).toBe(`The body is not valid JSON: ${where} was expected.`)
  })
})
