import { CrmError, connect, type Received, type ServiceOptions } from 'crm-connector'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Fault, type FaultyProxy, faultyProxy } from '../support/faulty-proxy.ts'
import { serverForTest, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** How long an attempt may take unless said otherwise. */
const TIMEOUT_MS = 30_000

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

/** A client whose way to the service is struck by these faults. */
async function struck(faults: (Fault | undefined)[], options: Partial<ServiceOptions> = {}) {
  const edge = await faultyProxy(server.url)
  edge.failNext(...faults)
  return { edge, crm: connect({ baseUrl: edge.url, key: server.key, ...options }) }
}

const keysOf = ({ arrived }: FaultyProxy) => arrived.map(({ headers }) => headers['idempotency-key'])

async function refusal(call: Promise<unknown>): Promise<CrmError> {
  const error: unknown = await call.then(
    (answer) => new Error(`Was answered: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  )
  if (error instanceof CrmError) return error
  throw error
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const UNAVAILABLE = { status: 503, headers: { 'retry-after': '0' }, body: '{}' }

describe('a write', () => {
  test.each<[string, Fault]>([
    ['whose answer is cut off', 'unanswered'],
    ['whose answer ends in the middle', 'half'],
    ['whose answer ends in the middle without a sign of it', 'cut'],
    ['whose answer comes without its body', { status: 200, after: true }],
    ['whose answer is replaced by nothing', { status: 204, after: true }],
    ['whose answer is replaced by a page', { status: 200, headers: HTML, body: '<html>', after: true }],
    ['whose answer is replaced by a text that is no record', { status: 200, body: '"OK"', after: true }],
    ['whose answer is replaced by an error', { status: 500, headers: HTML, body: '<html>', after: true }],
    ['whose answer is replaced by an error that only some know', { status: 520, headers: HTML, body: '<html>', after: true }],
    ['that gets lost', 'lost'],
    ['that a proxy answers with a page', { status: 502, headers: HTML, body: '<html><title>Bad Gateway</title></html>' }],
    ['that is refused for now', UNAVAILABLE],
  ])('%s is repeated, and carried out once', async (_, fault) => {
    const { edge, crm } = await struck([fault])
    const Phone = crypto.randomUUID()
    const lead = await crm.leads.create({ ...ADA, Phone })
    expect(edge.arrived).toHaveLength(2)
    expect(new Set(keysOf(edge)).size).toBe(1)
    const { Records } = await crm.leads.getMany({ Filters: { Phone } })
    expect(Records).toEqual([lead])
  })

  test('says when its answer is that of an attempt before', async () => {
    const { crm } = await struck(['unanswered'])
    const outcomes: unknown[] = []
    await crm.leads.create(ADA, { onOutcome: (outcome) => outcomes.push(outcome) })
    expect(outcomes).toEqual([{ changeId: expect.stringMatching(/./), replayed: true }])
  })

  test('has a key of its own each time', async () => {
    const { edge, crm } = await struck([])
    await crm.leads.create(ADA)
    await crm.call('Create A Lead', ADA)
    await crm.batch({ Operations: [{ Operation: 'create_a_lead', Input: ADA }] })
    expect(keysOf(edge)).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{32}$/)))
    expect(new Set(keysOf(edge)).size).toBe(3)
  })

  test('keeps the key it was given', async () => {
    const { edge, crm } = await struck(['unanswered'])
    const idempotencyKey = crypto.randomUUID()
    const first = await crm.leads.create(ADA, { idempotencyKey })
    expect(await crm.leads.create(ADA, { idempotencyKey })).toEqual(first)
    expect(keysOf(edge)).toEqual([idempotencyKey, idempotencyKey, idempotencyKey])
  })

  test('whose answer never comes ends with how to learn what became of it', async () => {
    const { edge, crm } = await struck(['unanswered', UNAVAILABLE, 'lost', UNAVAILABLE])
    const Phone = crypto.randomUUID()
    const error = await refusal(crm.leads.create({ ...ADA, Phone }))
    expect(error.code).toBe('outcome_unknown')
    const [key = ''] = keysOf(edge)
    expect(error.hint).toContain(key)
    expect(edge.arrived).toHaveLength(4)
    const lead = await crm.leads.create({ ...ADA, Phone }, { idempotencyKey: String(key) })
    expect((await crm.leads.getMany({ Filters: { Phone } })).Records).toEqual([lead])
  })

  test.each<[string, Fault, number]>([
    ['has no right any more', { status: 401, body: '{"code":"unauthenticated","detail":"The key has expired."}' }, 2],
    ['is refused', { status: 404, body: '{"code":"not_found","detail":"There is no such lead."}' }, 2],
    ['is redirected', { status: 301, headers: { location: 'https://crm.example.com/' } }, 2],
    ['meets an error page', { status: 500, headers: HTML, body: '<html>' }, 4],
    ['meets a page', { status: 200, headers: HTML, body: '<html>' }, 4],
  ])('whose answer was lost stays uncertain when its next attempt %s', async (_, fault, attempts) => {
    const { edge, crm } = await struck(['unanswered', fault, fault, fault])
    const Phone = crypto.randomUUID()
    const error = await refusal(crm.leads.create({ ...ADA, Phone }))
    const [key = ''] = keysOf(edge)
    expect(error).toMatchObject({ code: 'outcome_unknown', hint: expect.stringContaining(String(key)) })
    expect((error.cause as CrmError).message).not.toBe('')
    expect(edge.arrived).toHaveLength(attempts)
    edge.failNext()
    const lead = await crm.leads.create({ ...ADA, Phone }, { idempotencyKey: String(key) })
    expect((await crm.leads.getMany({ Filters: { Phone } })).Records).toEqual([lead])
  })

  test('whose answer was lost says what was said to its next attempt', async () => {
    const { edge, crm } = await struck(['unanswered', { status: 401, body: '{"code":"unauthenticated","detail":"The key has expired."}' }])
    expect((await refusal(crm.leads.create(ADA))).message).toBe(`The service at ${edge.url} did not answer. A retry failed: The key has expired.`)
  })

  test('that was refused before it was lost is not said to be uncertain', async () => {
    const { crm } = await struck([{ status: 401, headers: HTML, body: '<html>' }])
    expect((await refusal(crm.leads.create(ADA))).code).toBe('unauthenticated')
  })

  test('that cannot have arrived is not said to be uncertain', async () => {
    const { url } = await serverForTest().then(async (gone) => {
      await gone.app.close()
      return gone
    })
    expect(await refusal(connect({ baseUrl: url, key: 'x', retries: 0 }).leads.create(ADA))).toMatchObject({
      code: 'platform_unavailable',
      message: `The service at ${url} did not answer.`,
    })
  })

  test('that is refused for good is not repeated', async () => {
    const { edge, crm } = await struck([])
    expect((await refusal(crm.leads.get({ LeadID: 'nobody' }))).code).toBe('not_found')
    expect((await refusal(crm.call('create_a_lead', { FirstName: 'Ada' } as never))).errors).toMatchObject([{ field: 'LastName', code: 'missing' }])
    expect(edge.arrived).toHaveLength(2)
  })

  test('that confirms a plan is carried out once, whatever becomes of its answer', async () => {
    const { edge, crm } = await struck([])
    const { LeadID } = await crm.leads.create(ADA)
    const { plan } = await refusal(crm.leads.delete({ LeadID }, { confirm: true }))
    edge.failNext('unanswered')
    expect(await crm.leads.delete({ LeadID }, { confirmation: plan?.Token })).toEqual({ LeadID, Deleted: true })
  })

  test('that is already under way is waited for', async () => {
    const problem = { code: 'in_progress', detail: 'It is being carried out.', retryAfter: 0 }
    const { edge, crm } = await struck([{ status: 409, body: JSON.stringify(problem) }])
    expect(await crm.leads.create(ADA)).toMatchObject(ADA)
    expect(edge.arrived).toHaveLength(2)
  })
})

describe('a batch', () => {
  test('whose answer is cut off is repeated, and each of its calls carried out once', async () => {
    const { edge, crm } = await struck(['unanswered'])
    const Phone = crypto.randomUUID()
    const { Results } = await crm.batch({ Operations: [1, 2, 3].map(() => ({ Operation: 'Create A Lead', Input: { ...ADA, Phone } })) })
    expect(Results).toEqual(Array(3).fill(expect.objectContaining({ Status: 200, Replayed: true })))
    expect(edge.arrived).toHaveLength(2)
    expect((await crm.leads.getMany({ Filters: { Phone } })).Records).toHaveLength(3)
  })
})

describe('what reaches beyond the store', () => {
  test('is not repeated', async () => {
    const { edge, crm } = await struck(['unanswered', 'unanswered'])
    const input = { WebhookID: 'nobody' }
    expect((await refusal(crm.webhooks.test(input))).code).toBe('platform_unavailable')
    expect((await refusal(crm.batch({ Operations: [{ Operation: 'Test Webhook', Input: input }] }))).code).toBe('outcome_unknown')
    expect(edge.arrived).toHaveLength(2)
  })
})

describe('a read', () => {
  test('is repeated without a key', async () => {
    const { edge, crm } = await struck(['lost', 'half', UNAVAILABLE])
    await crm.leads.getMany({ Limit: 1 })
    expect(keysOf(edge)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('ends with what was wrong last', async () => {
    const { edge, crm } = await struck(['lost', 'lost', 'lost', 'lost'])
    const error = await refusal(crm.users.getCurrent())
    expect(error).toMatchObject({ code: 'platform_unavailable', message: `The service at ${edge.url} did not answer.` })
    expect(edge.arrived).toHaveLength(4)
  })

  test('is repeated as often as was said, for all calls or for one', async () => {
    const { edge, crm } = await struck(Array(9).fill('lost'), { retries: 1 })
    await refusal(crm.users.getCurrent())
    expect(edge.arrived).toHaveLength(2)
    await refusal(crm.users.getCurrent({}, { retries: 0 }))
    expect(edge.arrived).toHaveLength(3)
    await refusal(crm.users.getCurrent({}, { retries: 2 }))
    expect(edge.arrived).toHaveLength(6)
  })
})

describe('a dry run', () => {
  test('carries no key, and leaves nothing uncertain', async () => {
    const { edge, crm } = await struck(['unanswered'])
    expect((await crm.leads.create(ADA, { dryRun: true })).WouldWrite.FirstName).toBe('Ada')
    expect(keysOf(edge)).toEqual([undefined, undefined])
    edge.failNext('unanswered')
    expect((await refusal(crm.leads.create(ADA, { dryRun: true, retries: 0 }))).code).toBe('platform_unavailable')
  })
})

/** Pauses of the client that are over at once, and how long they would have been. All other timers stay as they are. */
function pauses(): number[] {
  const asked: number[] = []
  const real = setTimeout
  vi.stubGlobal('setTimeout', (run: () => void, ms = 0, ...more: unknown[]) => {
    const isPause = ms < TIMEOUT_MS && new Error().stack?.includes('sdk/timeouts.ts')
    if (isPause) asked.push(ms)
    return real(run, isPause ? 0 : ms, ...more)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return asked
}

describe('a pause', () => {
  test('is by chance, and may be longer each time', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    onTestFinished(() => void vi.restoreAllMocks())
    const asked = pauses()
    const { crm } = await struck(Array(9).fill('lost'), { retries: 8 })
    await refusal(crm.users.getCurrent())
    expect(asked).toEqual([125, 250, 500, 1000, 2000, 4000, 4000, 4000])
  })

  test.each<[string, () => Fault, number]>([
    ['in seconds', () => ({ status: 429, headers: { 'retry-after': '20' }, body: '{"code":"rate_limited","detail":"Too many calls."}' }), 20_000],
    ['by a date', () => ({ status: 503, headers: { 'retry-after': new Date(Date.now() + 25_000).toUTCString() }, body: '' }), 10_000],
    ['by the problem', () => ({ status: 503, body: '{"code":"platform_unavailable","detail":"Not now.","retryAfter":15}' }), 15_000],
  ])('is no shorter than was asked for %s', async (_, fault, ms) => {
    const asked = pauses()
    const { crm } = await struck([fault()])
    await crm.users.getCurrent()
    expect(asked).toHaveLength(1)
    expect(asked[0]).toBeGreaterThanOrEqual(ms)
    expect(asked[0]).toBeLessThan(TIMEOUT_MS)
  })

  test('of an hour is left to whoever calls', async () => {
    const { edge, crm } = await struck([{ status: 429, headers: { 'retry-after': '3600' }, body: '' }])
    expect(await refusal(crm.users.getCurrent())).toMatchObject({ code: 'rate_limited', retryAfter: 3600 })
    expect(edge.arrived).toHaveLength(1)
  })
})

describe('time', () => {
  test('is up when an attempt takes too long', async () => {
    const { edge, crm } = await struck(['silent', 'silent'], { timeoutMs: 500, retries: 1 })
    expect(await refusal(crm.users.getCurrent())).toMatchObject({
      code: 'platform_unavailable',
      message: `The service at ${edge.url} did not answer within 0.5 s.`,
    })
    edge.failNext('silent')
    expect(await refusal(crm.leads.create(ADA, { timeoutMs: 400, retries: 0 }))).toMatchObject({
      code: 'outcome_unknown',
      message: `The service at ${edge.url} did not answer within 0.4 s.`,
    })
    // On a loaded machine time may be up before a request has arrived.
    expect(edge.arrived.length).toBeLessThanOrEqual(3)
  })

  test('that was up for one attempt is not for the next', async () => {
    const { crm } = await struck(['silent'], { timeoutMs: 3_000 })
    expect(await crm.users.getCurrent()).toMatchObject({ Role: 'admin' })
  })
})

describe('a signal', () => {
  test.each<[string, Fault[]]>([
    ['during an attempt', ['silent']],
    ['during a pause', [{ status: 503, headers: { 'retry-after': '50' }, body: '' }]],
  ])('that aborts %s ends the call at once, with its reason', async (_, faults) => {
    const { edge, crm } = await struck(faults)
    const controller = new AbortController()
    const reason = new Error('Never mind.')
    const call = crm.leads.create(ADA, { signal: controller.signal })
    call.catch(() => {})
    await expect.poll(() => edge.arrived.length).toBe(1)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(edge.arrived).toHaveLength(1)
  })

  test('that has aborted already lets nothing be sent', async () => {
    const { edge, crm } = await struck([])
    await expect(crm.leads.create(ADA, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    expect(edge.arrived).toEqual([])
  })

  test('leaves nothing behind on it', async () => {
    const { crm } = await struck(['lost'])
    const { signal } = new AbortController()
    let listeners = 0
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++
      add(...given)
    }
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--
      remove(...given)
    }
    await crm.users.getCurrent({}, { signal })
    expect(listeners).toBe(0)
  })
})

describe('an answer of somebody else', () => {
  test.each<[string, Exclude<Fault, string>, Partial<CrmError>]>([
    [
      'with a page',
      { status: 502, headers: HTML, body: '<html><head><title>502 Bad Gateway</title></head></html>' },
      { code: 'platform_unavailable', message: expect.stringMatching(/ answered 502 with text\/html.*: 502 Bad Gateway$/) },
    ],
    ['with half an answer', { status: 200, headers: { 'content-type': 'application/json' }, body: '{"UserID":' }, { code: 'platform_unavailable' }],
    ['with an error that only some know', { status: 520, headers: HTML, body: '<html>' }, { code: 'platform_unavailable' }],
    ['with nothing', { status: 500 }, { code: 'internal', message: expect.stringMatching(/ answered 500 with no content type/) }],
    ['with a page where an answer is due', { status: 200, headers: HTML, body: '<html>' }, { code: 'internal', hint: expect.stringMatching(/baseUrl/) }],
    ['with a problem of its own', { status: 404, body: '{"message":"no Route matched"}' }, { code: 'not_found', message: expect.stringMatching(/no Route/) }],
    [
      'with a code of ours in other words',
      { status: 404, body: '{"code":"not_found","message":"No such host."}' },
      { code: 'not_found', message: expect.stringMatching(/No such host/) },
    ],
    ['with a code nobody knows', { status: 403, body: '{"code":"waf_blocked","detail":"x"}' }, { code: 'forbidden' }],
    ['that the body is too large', { status: 413, headers: HTML, body: '' }, { code: 'too_large' }],
    [
      'that leads elsewhere',
      { status: 301, headers: { location: 'https://crm.example.com/' } },
      { code: 'invalid_input', message: expect.stringMatching(/https:\/\/crm/) },
    ],
  ])('%s is a refusal in our words', async (_, fault, expected) => {
    const { crm } = await struck([fault], { retries: 0 })
    expect(await refusal(crm.users.getCurrent())).toMatchObject(expected)
  })
})

describe('whoever watches', () => {
  test('sees each attempt and what became of it, but not the key', async () => {
    const seen: unknown[] = []
    const { edge, crm } = await struck(['lost', UNAVAILABLE], {
      onRequest: ({ operation, attempt, headers }) => void seen.push({ operation, attempt, headers }),
      onResponse: ({ operation, attempt, status, error, requestId, ms }: Received) =>
        void seen.push({ operation, attempt, status, code: (error as CrmError | undefined)?.code, requestId: typeof requestId, ms: typeof ms }),
    })
    const [idempotencyKey, ms] = ['key-1', 'number']
    await crm.leads.create(ADA, { idempotencyKey })
    const sent = { operation: 'create_a_lead', headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey } }
    const received = { operation: 'create_a_lead', ms }
    expect(seen).toEqual([
      { ...sent, attempt: 1 },
      { ...received, attempt: 1, status: undefined, code: 'outcome_unknown', requestId: 'undefined' },
      { ...sent, attempt: 2 },
      { ...received, attempt: 2, status: 503, code: 'outcome_unknown', requestId: 'undefined' },
      { ...sent, attempt: 3 },
      { ...received, attempt: 3, status: 200, code: undefined, requestId: 'string' },
    ])
    expect(JSON.stringify(seen)).not.toContain(server.key)
    expect(edge.arrived[2]?.headers.authorization).toBe(`Bearer ${server.key}`)
  })

  test('may add headers to what is sent, beside those that always are', async () => {
    const { edge, crm } = await struck([], {
      headers: { 'x-request-id': 'always', 'x-team': 'north' },
      onRequest: async ({ attempt }) => ({ 'x-request-id': `trace-${attempt}` }),
    })
    await crm.users.getCurrent()
    expect(edge.arrived[0]?.headers).toMatchObject({ 'x-request-id': 'trace-1', 'x-team': 'north' })
  })

  test('may not replace what makes the call what it is', async () => {
    const { edge, crm } = await struck(['unanswered'], {
      onRequest: ({ attempt }) => ({ 'Idempotency-Key': `mine-${attempt}`, Authorization: 'Bearer nobody', 'content-type': 'text/plain', 'x-team': 'north' }),
    })
    const Phone = crypto.randomUUID()
    const lead = await crm.leads.create({ ...ADA, Phone }, { idempotencyKey: Phone })
    expect(keysOf(edge)).toEqual([Phone, Phone])
    expect(edge.arrived[0]?.headers).toMatchObject({ authorization: `Bearer ${server.key}`, 'content-type': 'application/json', 'x-team': 'north' })
    expect((await crm.leads.getMany({ Filters: { Phone } })).Records).toEqual([lead])
  })

  test('is waited for no longer than an attempt may take, and nothing is sent then', async () => {
    let go = () => {}
    const slow = new Promise<{ 'x-late': string }>((resolve) => {
      go = () => resolve({ 'x-late': '1' })
    })
    const { edge, crm } = await struck([], {
      timeoutMs: 50,
      retries: 0,
      onRequest: ({ operation }) => (operation === 'create_a_lead' ? slow : Promise.resolve({})),
    })
    expect(await refusal(crm.leads.create(ADA))).toMatchObject({ code: 'platform_unavailable', message: 'onRequest did not answer within 0.05 s.' })
    go()
    await crm.users.getCurrent({}, { timeoutMs: TIMEOUT_MS })
    expect(edge.arrived.map(({ path }) => path)).toEqual(['/v1/operations/get_current_user'])
  })

  test('is not waited for beyond the abort of a signal', async () => {
    const { edge, crm } = await struck([], { onRequest: () => new Promise<never>(() => {}) })
    const controller = new AbortController()
    const call = crm.leads.create(ADA, { signal: controller.signal })
    controller.abort(new Error('Never mind.'))
    await expect(call).rejects.toThrow('Never mind.')
    expect(edge.arrived).toEqual([])
  })

  test('ends the call with what they throw before it is sent', async () => {
    const { edge, crm } = await struck([], {
      onRequest: () => {
        throw new Error('Not today.')
      },
    })
    await expect(crm.leads.create(ADA)).rejects.toThrow('Not today.')
    expect(edge.arrived).toEqual([])
  })

  test.each([
    [
      'at once',
      () => {
        throw new Error('Cannot log.')
      },
    ],
    ['later', async () => Promise.reject(new Error('Cannot log.'))],
  ])('changes nothing by what they throw %s when it is over', async (_, onResponse) => {
    const { edge, crm } = await struck([], { onResponse })
    expect(await crm.leads.create(ADA, { onOutcome: onResponse })).toMatchObject(ADA)
    expect((await refusal(crm.leads.get({ LeadID: 'nobody' }))).code).toBe('not_found')
    expect(edge.arrived).toHaveLength(2)
  })

  test('may bring a fetch of their own', async () => {
    const asked: string[] = []
    const crm = connect({
      baseUrl: `${server.url}/`,
      key: server.key,
      fetch: (url, init) => {
        asked.push(String(url))
        return fetch(url, init)
      },
    })
    await crm.users.getCurrent()
    expect(asked).toEqual([`${server.url}/v1/operations/get_current_user`])
  })
})

describe('what makes no sense beside a call', () => {
  test.each<[string, object, readonly object[]]>([
    ['a time that is none', { timeoutMs: Number.NaN }, [{ field: 'timeoutMs', code: 'type' }]],
    ['no time at all', { timeoutMs: 0 }, [{ field: 'timeoutMs', code: 'type' }]],
    ['fewer repetitions than none', { retries: -1 }, [{ field: 'retries', code: 'type' }]],
    ['half a repetition', { retries: 2.5 }, [{ field: 'retries', code: 'type' }]],
    ['an empty key', { idempotencyKey: '' }, [{ field: 'idempotencyKey', code: 'type' }]],
    ['a name in another case', { idempotencykey: 'x' }, [{ field: 'idempotencykey', code: 'unknown', didYouMean: 'idempotencyKey' }]],
    [
      'several things',
      { dryrun: true, signal: {}, dryRun: 'yes' },
      [
        { field: 'dryrun', code: 'unknown', didYouMean: 'dryRun' },
        { field: 'signal', code: 'type' },
        { field: 'dryRun', code: 'type' },
      ],
    ],
  ])('is refused before anything is sent: %s', async (_, options, faults) => {
    const { edge, crm } = await struck([])
    for (const call of [
      crm.leads.create(ADA, options),
      crm.batch({ Operations: [{ Operation: 'create_a_lead', Input: ADA }] }, options),
      crm.leads.all({}, options).next(),
    ]) {
      const error = await refusal(call)
      expect(error.code).toBe('invalid_input')
      expect(error.errors).toMatchObject(faults)
    }
    expect(edge.arrived).toEqual([])
  })

  test('names what was meant', async () => {
    const { crm } = await struck([])
    expect((await refusal(crm.leads.create(ADA, { idempotencykey: 'x' } as object))).message).toBe(
      'A call takes no idempotencykey. Did you mean idempotencyKey?',
    )
    expect(
      (
        await refusal(
          crm.events
            .follow({ After: '0' } as object)
            [Symbol.asyncIterator]()
            .next(),
        )
      ).errors,
    ).toMatchObject([{ field: 'After', didYouMean: 'after' }])
  })
})

describe('what no header can hold', () => {
  test('is refused before anything is sent', async () => {
    const { edge, crm } = await struck([])
    expect(await refusal(crm.leads.create(ADA, { idempotencyKey: 'Schlüssel €' }))).toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'idempotency-key', code: 'form' }],
    })
    expect((await refusal(connect({ baseUrl: edge.url, key: 'two\nlines' }).users.getCurrent())).errors).toMatchObject([{ field: 'authorization' }])
    expect(edge.arrived).toEqual([])
  })
})

describe('what JSON would lose without a word', () => {
  test('is refused before anything is sent, all of it at once', async () => {
    const { edge, crm } = await struck([])
    const circle: { self?: unknown } = {}
    circle.self = circle
    const input = { Amount: Number.NaN, CloseDate: new Date('soon'), Deep: [{ Count: 1n }], Run: () => {}, circle }
    expect((await refusal(crm.call('create_opportunity', input as never))).errors?.map(({ field }) => field)).toEqual([
      'Amount',
      'CloseDate',
      'Deep[0].Count',
      'Run',
      'circle.self',
    ])
    expect(edge.arrived).toEqual([])
  })

  test('is listed up to a hundred times, and looked for no deeper than an input may be', async () => {
    const { edge, crm } = await struck([])
    const many = await refusal(crm.call('get_many_leads', { Select: Array.from({ length: 100_000 }, () => Number.NaN) } as never))
    expect(many.errors).toHaveLength(100)
    let deep: unknown = Number.NaN
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect((await refusal(crm.call('create_a_lead', { FirstName: deep } as never))).message).toBe('The input is nested more than 64 levels deep.')
    expect(edge.arrived).toEqual([])
  })
})
