import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { JsonExtent } from '../../src/helpers/json-extent.ts'
import { describeSyntaxError } from '../../src/transports/http/json-syntax.ts'
import { problemOfRaw, sendRaw } from '../support/raw.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const head = (length: number) =>
  `POST /v1/batch HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: ${length}\r\n\r\n`

const post = (body: string) =>
  fetch(`${server.url}/v1/batch`, { method: 'POST', headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }, body })

/** Text that looks like the end of something, and characters of up to four bytes. */
const HOSTILE = '"]},{[\\" \\\\" ,"Zoë Ångström 😀'
const lead = (i: number) => ({ Operation: 'create_a_lead', Input: { FirstName: `${HOSTILE}${i}`, LastName: 'x'.repeat(150) } })
const leads = Array.from({ length: LIMITS.batch }, (_, i) => lead(i))

describe('a batch that is parsed in pieces', () => {
  test.each<[string, (Operations: unknown) => string]>([
    ['in one line', (Operations) => JSON.stringify({ Operations })],
    ['indented', (Operations) => JSON.stringify({ Operations }, null, '\t')],
    ['with members around its calls', (Operations) => JSON.stringify({ Atomic: false, Operations }).padEnd(LIMITS.batchBytes / 2)],
    ['with a byte order mark', (Operations) => `\uFEFF${JSON.stringify({ Operations })}`],
    ['that comes twice, of which the last counts', (Operations) => JSON.stringify({ Operations }).replace('{', '{"Operations":[1],')],
  ])('is what it would be as a whole: %s', async (_, written) => {
    const body = written(leads)
    expect(Buffer.byteLength(body)).toBeGreaterThan(3 * 65_536)
    const { Results } = (await (await post(body)).json()) as { Results: { Result: { FirstName: string } }[] }
    expect(Results.map(({ Result }) => Result.FirstName)).toEqual(leads.map(({ Input }) => Input.FirstName))
  })

  test('that arrives in parts of any size', async () => {
    const body = Buffer.from(JSON.stringify({ Operations: leads }))
    const parts = [1, 70_001, 70_002, 70_007, 150_000, body.length].map((to, i, all) => body.subarray(all[i - 1] ?? 0, to))
    const answer = await sendRaw(server.port, head(body.length), ...parts)
    expect(JSON.parse(answer.body)).toMatchObject({ Results: { length: LIMITS.batch } })
  })

  const text = JSON.stringify({ Operations: leads.slice(2) }, null, 1)
  const middle = text.indexOf('\n  {', text.length / 2)
  test.each([
    ['that ends early', text.slice(0, -1)],
    ['that ends in a text', text.slice(0, text.lastIndexOf('x'))],
    ['with a comma too many at the end', `${text.slice(0, text.lastIndexOf(']'))},]}`],
    ['with a comma too many in between', `${text.slice(0, middle)},${text.slice(middle)}`],
    ['with a word for a call', `${text.slice(0, text.lastIndexOf(']'))}, nothing]}`],
    ['with a bracket that closes nothing', `${text}]`],
    ['with the wrong bracket', `${text.slice(0, -1)}]`],
    ['with a list that is closed as an object', `${text.slice(0, text.lastIndexOf(']'))}}}`],
  ])('is refused with the place of the fault: %s', async (_, body) => {
    expect(() => JSON.parse(body) as unknown).toThrow()
    expect(await problemIn(await post(body))).toMatchObject({ code: 'invalid_input', detail: describeSyntaxError(body) })
  })
})

test.each([
  ['calls', '{},'.repeat(LIMITS.batch), { code: 'invalid_input', errors: [{ field: 'Operations', code: 'count' }] }],
  [
    'values',
    `{"Input":{"a":[${'1,'.repeat(LIMITS.values)}1]}},`.repeat(LIMITS.batchValues / LIMITS.values),
    { code: 'too_large', detail: 'The body holds more than 1,000,000 values.' },
  ],
])('a batch of too many %s is refused before the rest of it has arrived', async (_, begun, refusal) => {
  expect(problemOfRaw(await sendRaw(server.port, head(LIMITS.batchBytes), `{"Operations":[${begun}`))).toMatchObject(refusal)
})

test.each<[string, (text: string) => string]>([
  ['a call of it', (text) => `{"Operations":[{"Operation":"get_current_user","Input":{"a":"${text}`],
  ['what is before its calls', (text) => `{"a":"${text}`],
  ['what is after its calls', (text) => `${JSON.stringify({ Operations: leads }).slice(0, -1)},"a":"${text}`],
])('a batch is refused where %s has more bytes than a call may', async (_, begun) => {
  const answer = await sendRaw(server.port, head(LIMITS.batchBytes), begun('x'.repeat(LIMITS.bodyBytes)))
  expect(problemOfRaw(answer)).toMatchObject({ code: 'too_large', detail: 'The body holds a call of more than 1,048,576 bytes.' })
})

test('values and levels are the same wherever a text is cut', () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ a: [1, '\\', '\\"', '"', `${'\\"'.repeat(50)},[{`, 'ë😀'], b: { c: [[], {}] } }))
  const most = { values: 14, depth: 4 }
  for (let at = 0; at <= bytes.length; at++) {
    const measured = (extent: typeof most) => {
      const measure = new JsonExtent(extent)
      return measure.add(bytes.subarray(0, at)) ?? measure.add(bytes.subarray(at)) ?? measure.isComplete
    }
    expect([at, measured(most), measured({ ...most, values: 13 }), measured({ ...most, depth: 3 })]).toEqual([at, true, 'values', 'depth'])
  }
})
