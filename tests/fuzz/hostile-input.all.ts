import { Agent, request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES, type Problem } from '../../src/contract/errors.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { execute } from '../../src/core/call/execute.ts'
import type { Store } from '../../src/platforms/store.ts'
import { type Attack, attacksOn, HOSTILE } from '../support/hostile.ts'
import { runs, sample } from '../support/lane.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { SOME_STORES } from '../support/stores.ts'

type Row = Record<string, unknown>

interface Outcome {
  readonly attack: Attack
  readonly status: number
  readonly answer: Row
}

/** A server that holds one record of every type, and the input that is right for every operation. */
async function open(store: () => Promise<Store>): Promise<{ server: TestServer; valid: (operation: Operation) => Row }> {
  const server = await startServer({ open: store })
  const make = (id: string) => server.call(id, OPERATIONS.find((operation) => operation.id === id)?.example)
  const { LeadID } = await make('create_a_lead')
  const { OpportunityID } = await make('create_opportunity')
  const { CaseID } = await make('create_case')
  const { ObjectID } = await make('create_custom_object')
  const { CampaignID } = await make('create_campaign')
  const { UserID } = await make('create_user')
  const { KeyID } = await make('create_key')
  await server.call('add_notes_to_leads', { LeadID, Note: 'Kept.' })
  await server.call('add_comment', { CaseID, Comment: 'Kept.' })
  const ids: Row = { LeadID, OpportunityID, CaseID, ObjectID, CampaignID, UserID, KeyID, RecordID: LeadID }
  const valid = ({ example }: Operation) => Object.fromEntries(Object.entries(example as Row).map(([name, value]) => [name, ids[name] ?? value]))
  return { server, valid }
}

/** Everything there is, as an admin sees it. */
async function dump({ call }: TestServer): Promise<unknown> {
  const lists = OPERATIONS.filter(({ verb }) => verb === 'getMany')
  // A refusal leaves a line in the audit, and that is all it leaves.
  const only = (type: string) => (type === 'Change' ? { Filters: { Outcome: 'ok' } } : {})
  const all = await Promise.all(lists.map(async ({ id, record }) => [record.name, (await call(id, { Limit: 1000, ...only(record.name) })).Records] as const))
  const { Lead = [], Case = [], ...rest } = Object.fromEntries(all) as Record<string, Row[]>
  const notes = await Promise.all(Lead.map(({ LeadID }) => call('get_leads', { LeadID })))
  const comments = await Promise.all(Case.map(({ CaseID }) => call('get_case', { CaseID })))
  return { ...rest, notes, comments, described: await call('describe') }
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 })
afterAll(() => agent.destroy())

/** Tens of thousands of calls: fetch would take most of the time for itself. */
function send({ port, key }: TestServer, attack: Attack): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(attack.body) }
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path: `/v1/operations/${attack.operation.id}`, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ attack, status: response.statusCode ?? 0, answer: JSON.parse(Buffer.concat(chunks).toString()) as Row }))
    })
    sent.on('error', reject)
    sent.end(attack.body)
  })
}

const shown = ({ attack, status, answer }: Outcome) =>
  `${attack.operation.id} ${attack.path.join('.')} = ${attack.value.slice(0, 80)}: ${status} ${JSON.stringify(answer).slice(0, 300)}`

function isClear(outcome: Outcome): boolean {
  const { code, detail, errors, status } = outcome.answer as unknown as Problem
  if (!ERROR_CODES.includes(code) || status !== outcome.status || !detail || detail.length > 2_000) return false
  if (code !== 'invalid_input') return ['not_found', 'conflict', 'forbidden'].includes(code)
  return (errors ?? []).length > 0 && (errors ?? []).every(({ field, message }) => typeof field === 'string' && message.length > 0 && message.length < 1_000)
}

/** Whether the text or number that was sent is what the answer shows again. */
function comesBack({ attack, answer }: Outcome): boolean {
  const sent: unknown = JSON.parse(attack.value)
  const name = attack.path.at(-1) ?? ''
  // Secrets are never shown, and the admin of a new workspace is a record in there.
  if (attack.path[0] === 'Secrets' || /^Admin(Name|Email)$/.test(name)) return true
  if (!['string', 'number'].includes(typeof sent) || !['create', 'update'].includes(attack.operation.effect)) return true
  const values = answer.Values as Row | undefined
  const kept = attack.path[0] === 'Fields' ? values?.[attack.path[1] ?? ''] : values && Object.hasOwn(values, name) ? values[name] : answer[name]
  // A conversion answers with the ids of what it has made.
  return kept === sent || attack.path[0] === 'Opportunity' || /Date$|^IfRevision$/.test(name) || (attack.path[0] === 'Fields' && name !== 'Value')
}

describe.each(SOME_STORES)('hostile input on $platform', ({ open: store }) => {
  let server: TestServer
  let valid: (operation: Operation) => Row
  const refused: Attack[] = []

  beforeAll(async () => ({ server, valid } = await open(store)))
  afterAll(() => server.close())

  test.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    'in every place of %s is refused clearly or kept as it is',
    async (_name, operation) => {
      const outcomes = await Promise.all(sample(attacksOn(operation, valid(operation))).map((attack) => send(server, attack)))
      expect(outcomes.filter(({ status }) => status >= 500).map(shown)).toEqual([])
      expect(outcomes.filter((outcome) => outcome.status !== 200 && !isClear(outcome)).map(shown)).toEqual([])
      expect(outcomes.filter((outcome) => outcome.status === 200 && !comesBack(outcome)).map(shown)).toEqual([])
      // Whether several records match, a value is taken, a field is defined otherwise or a lead was converted depends on what was done before.
      const isLasting = ({ answer }: Outcome) => answer.code !== 'conflict'
      refused.push(...outcomes.filter((outcome) => outcome.status !== 200 && isLasting(outcome)).map(({ attack }) => attack))
    },
  )

  test('that is refused leaves everything as it was', async () => {
    const untouched = await open(store)
    const { service } = untouched.server
    const caller = await localAdmin(service)
    const before = await dump(untouched.server)
    const name = ({ operation, path, value }: Attack) => [operation.id, path.join('.'), value].join('\n')
    const again = new Set(refused.map(name))
    for (const operation of OPERATIONS) {
      const attacks = attacksOn(operation, untouched.valid(operation)).filter((one) => again.has(name(one)))
      await Promise.all(
        attacks.map((attack) => expect(execute(service, { operation: operation.id, input: JSON.parse(attack.body), caller }), name(attack)).rejects.toThrow()),
      )
    }
    expect(refused.length).toBeGreaterThan(1_000)
    expect(await dump(untouched.server)).toEqual(before)
    await untouched.server.close()
  })

  test('pollutes no prototype', () => {
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe.each(SOME_STORES)('hostile bodies on $platform', ({ open: store }) => {
  let server: TestServer
  beforeAll(async () => ({ server } = await open(store)))
  afterAll(() => server.close())

  const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const BODIES: { readonly [what: string]: string | Buffer } = {
    'half an object': '{"FirstName":"Ada"',
    'text that is no JSON': 'FirstName=Ada&LastName=Lovelace',
    'JSON with a comment': '{"FirstName":"Ada" /* x */,"LastName":"L"}',
    'JSON and more': '{"FirstName":"Ada","LastName":"L"} x',
    'a trailing comma': '{"FirstName":"Ada","LastName":"L",}',
    'single quotes': "{'FirstName':'Ada'}",
    NaN: '{"FirstName":NaN,"LastName":"L"}',
    'a raw control character': '{"FirstName":"A\u0001","LastName":"L"}',
    'UTF-8 cut short': bytes('{"FirstName":"A', [0xe2, 0x82], '","LastName":"L"}'),
    'bytes that are never UTF-8': bytes('{"FirstName":"A', [0xff, 0xfe], '","LastName":"L"}'),
    'an overlong encoding': bytes('{"FirstName":"A', [0xc0, 0x80], '","LastName":"L"}'),
    'a surrogate in UTF-8': bytes('{"FirstName":"A', [0xed, 0xa0, 0x80], '","LastName":"L"}'),
    'UTF-16': Buffer.from('{"FirstName":"Ada","LastName":"L"}', 'utf16le'),
    'deep lists': '['.repeat(400_000) + ']'.repeat(400_000),
    'deep objects': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    'a list of calls': '[{"FirstName":"Ada","LastName":"L"}]',
    'a number': '5',
    'a text': '"Create A Lead"',
    null: 'null',
    'nothing but a name': '{"__proto__":{"FirstName":"Ada","LastName":"L"}}',
    'a hundred thousand unknown names': JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`n${at}`, 1]))),
  }

  test.each(Object.entries(BODIES))('%s is refused clearly', async (_what, body) => {
    const response = await server.post('create_a_lead', body as string)
    const problem = (await response.json()) as Problem
    expect([response.status, problem.code, response.headers.get('content-type')]).toEqual([400, 'invalid_input', 'application/problem+json'])
    expect(problem.detail.length).toBeLessThan(2_000)
    expect(JSON.stringify(problem).length).toBeLessThan(100_000)
  })

  test('more than the limit is too large', async () => {
    const response = await server.post('create_a_lead', JSON.stringify({ FirstName: 'x'.repeat(1_100_000), LastName: 'L' }))
    expect([response.status, ((await response.json()) as Problem).code]).toEqual([413, 'too_large'])
  })

  test('random bytes and random JSON are never a fault of ours', async () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)),
      fc.json({ maxDepth: 5 }).map((json) => Buffer.from(json)),
      fc.constantFrom(...HOSTILE).map((json) => Buffer.from(json)),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...OPERATIONS), body, async ({ id }, raw) => {
        const response = await server.post(id, raw as never)
        const text = await response.text()
        expect(response.status, text).toBeLessThan(500)
        expect(JSON.parse(text)).toBeTypeOf('object')
      }),
      { numRuns: runs(1_500) },
    )
  })

  test('names that are no operation are not found, whatever they look like', async () => {
    for (const name of ['..', '../keys', 'create_a_lead/..', '%', '\u0000', '\u001b[31m', '__proto__', 'constructor', "'; --", '😀', 'x'.repeat(500)]) {
      const response = await server.post(name, '{}')
      expect([name, response.status]).toEqual([name, 404])
    }
  })

  test('a search full of unknown names is refused, and not with all of them', async () => {
    for (const ObjectName of ['A', 'B']) {
      await server.call('create_custom_object', {
        ObjectName,
        Fields: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`Field${ObjectName}${at}`, { Type: 'String', Label: 'x' }])),
      })
    }
    const { ObjectID } = await server.call('create_custom_object', { ObjectName: 'A', Fields: {} })
    const names = Array.from({ length: 900 }, (_, at) => `${'x'.repeat(85)}${at}`)
    const searches: readonly (readonly [operation: string, input: Row])[] = [
      ['get_many_custom_objects', { Filters: Object.fromEntries(names.map((name) => [name, 1])) }],
      ['get_many_leads', { Filters: Object.fromEntries(names.map((name) => [name, 1])) }],
      ['get_many_custom_objects', { Select: names }],
      ['update_custom_object', { ObjectID, FieldsToUpdate: Object.fromEntries(names.map((name) => [name, 1])) }],
    ]
    for (const [operation, input] of searches) {
      const response = await server.post(operation, input)
      expect(response.status, operation).toBe(400)
      expect(((await response.json()) as Problem).errors?.length).toBeLessThanOrEqual(100)
    }
  })
})
