import { request } from 'node:http'
import { expect, test } from 'vitest'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { CallBudget } from '../../src/core/call/budget.ts'
import type { Service } from '../../src/core/service.ts'
import type { Budget } from '../../src/platforms/platform.ts'
import { problemIn, serverForTest } from '../support/server.ts'

/** A service whose searches never end by themselves; `begun` receives the budget of each. */
const endless =
  (begun: (budget: Budget) => void) =>
  (service: Service): Service => ({
    ...service,
    platform: {
      ...service.platform,
      reader: (workspace, options) => ({
        ...service.platform.reader(workspace, options),
        find: () =>
          new Promise((_, reject) => {
            const { budget } = options ?? {}
            if (!budget) throw new Error('A search without a budget.')
            budget.signal.addEventListener('abort', () => reject(budget.signal.reason))
            begun(budget)
          }),
      }),
    },
  })

const SEARCHES = [
  ['get_many_leads', {}],
  ['get_summary_of_leads', { Filters: { LastName: { contains: 'x' } } }],
] as const

test.each(SEARCHES)('%s that takes longer than Request-Timeout is too expensive, and says what helps', async (operation, input) => {
  const { post } = await serverForTest({ wrap: endless(() => {}) })
  const answer = await post(operation, operation === 'get_many_leads' ? input : {}, { 'Request-Timeout': '0.05' })
  expect(answer.status).toBe(422)
  expect(await problemIn(answer)).toMatchObject({
    code: 'too_expensive',
    retryable: false,
    detail: expect.stringContaining('0.05 seconds'),
    // On a loaded machine the time is over before the search begins.
    hint: expect.stringMatching(/^Narrow it|with more time/),
  })
})

test('the configured time applies without the header, and the header cannot lengthen it', async () => {
  const { post } = await serverForTest({ wrap: (service) => ({ ...endless(() => {})(service), callTimeoutMs: 40 }) })
  for (const headers of [{}, { 'Request-Timeout': '1000' }] as Record<string, string>[])
    expect(await problemIn(await post('get_many_leads', {}, headers))).toMatchObject({
      code: 'too_expensive',
      detail: expect.stringMatching(/^The (call took longer than the )?0.04 seconds/),
    })
})

test.each(['0', '-1', 'soon', '1e3', '1,5', ''])('a Request-Timeout of %j is refused', async (header) => {
  const { post } = await serverForTest()
  expect(await problemIn(await post('get_many_leads', {}, { 'Request-Timeout': header }))).toMatchObject({
    code: 'invalid_input',
    errors: [{ field: 'Request-Timeout', expected: 'seconds, such as 10 or 0.5' }],
  })
})

test('what is too expensive says what made it so, and a write that nothing was written', async () => {
  const { service } = await serverForTest()
  const call = { operation: '', input: {}, caller: await localAdmin(service), deadline: { at: 0, ms: 2000 } }
  const where = [
    { field: 'LastName', family: 'text', operator: 'contains', value: 'x' },
    { field: 'Values', name: 'Harbour', family: 'text', operator: 'ne', value: 'x' },
    { field: 'Status', family: 'text', operator: 'eq', value: 'Open' },
  ] as const
  const read = new CallBudget(service, call, { effect: 'read', verb: 'getMany' }, { where })
  expect(read.reason()).toMatchObject({
    message: 'The call took longer than the 2 seconds it may take.',
    hint: expect.stringMatching(/^LastName contains and Harbour ne read every record that the other filters leave\. Narrow it/),
  })
  const write = new CallBudget(service, call, { effect: 'create', verb: 'create' }, { where: [] })
  const refusal = { message: 'The 2 seconds that this call may take were over before it was executed; nothing was written.' }
  expect(write.reason()).toMatchObject(refusal)
  for (const budget of [read, write]) expect(() => budget.check()).toThrow(refusal.message)
})

test('a batch has a time for all of its calls, and those that have no turn in it are not executed', async () => {
  let begun = 0
  const wrap = endless(() => begun++)
  const { url, key } = await serverForTest({ wrap: (service) => ({ ...wrap(service), callTimeoutMs: 20 }) })
  const body = JSON.stringify({ Operations: Array(1000).fill({ Operation: 'get_many_leads' }) })
  const answer = await fetch(`${url}/v1/batch`, { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body })
  const { Results } = (await answer.json()) as { Results: { Status: number; Error?: { detail: string } }[] }
  expect(Results.map(({ Status }) => Status)).toEqual(Array(1000).fill(422))
  expect(Results.at(-1)?.Error?.detail).toContain('before it was executed')
  // Each takes 20 ms, and the batch ten times that.
  expect(begun).toBeLessThan(20)
})

/** Sends a request and hangs up as soon as `begun` is called. */
function hangUp(port: number, key: string, path: string, body: unknown, begun: Promise<unknown>): void {
  const sent = request({ port, path, method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } })
  sent.on('error', () => {})
  sent.end(JSON.stringify(body))
  void begun.then(() => sent.destroy())
}

test.each([
  ['/v1/operations/get_many_leads', {}],
  ['/v1/batch', { Operations: [{ Operation: 'get_many_leads' }, { Operation: 'get_many_leads' }] }],
])('a search ends when its caller hangs up, and a batch with it: %s', async (path, body) => {
  const budgets: Budget[] = []
  let onBegun = (_budget: Budget) => {}
  const begun = new Promise<Budget>((resolve) => {
    onBegun = resolve
  })
  const { port, key, log } = await serverForTest({
    wrap: endless((budget) => {
      budgets.push(budget)
      onBegun(budget)
    }),
  })
  hangUp(port, key, path, body, begun)
  const { signal } = await begun
  await expect.poll(() => signal.aborted).toBe(true)
  await expect.poll(log).toContain('"code":"hung_up"')
  expect(budgets).toHaveLength(1)
})
