import { request } from 'node:http'
import { expect, test } from 'vitest'
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
    hint: expect.stringMatching(/^Narrow it/),
  })
})

test('the configured time applies without the header, and the header cannot lengthen it', async () => {
  const { post } = await serverForTest({ wrap: (service) => ({ ...endless(() => {})(service), callTimeoutMs: 40 }) })
  for (const headers of [{}, { 'Request-Timeout': '1000' }] as Record<string, string>[])
    expect(await problemIn(await post('get_many_leads', {}, headers))).toMatchObject({
      code: 'too_expensive',
      detail: 'The call took longer than the 0.04 seconds it may take.',
    })
})

test.each(['0', '-1', 'soon', '1e3', '1,5', ''])('a Request-Timeout of %j is refused', async (header) => {
  const { post } = await serverForTest()
  expect(await problemIn(await post('get_many_leads', {}, { 'Request-Timeout': header }))).toMatchObject({
    code: 'invalid_input',
    errors: [{ field: 'Request-Timeout', expected: 'seconds, such as 10 or 0.5' }],
  })
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
  await expect.poll(log).toContain('"code":"too_expensive"')
  expect(budgets).toHaveLength(1)
})
