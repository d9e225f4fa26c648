import { expect, test } from 'vitest'
import { createMetrics } from '../../src/transports/http/metrics/calls.ts'
import { serverForTest } from '../support/server.ts'

/** Fails once, then does what was asked. */
function failingOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let failed = false
  return () => {
    if (failed) return load()
    failed = true
    return Promise.reject(new Error('EMFILE: too many open files'))
  }
}

test('a failure to load MCP is answered once, and the next request loads it', async () => {
  const server = await serverForTest({ loadMcp: failingOnce(() => import('../../src/transports/mcp/http.ts')) })
  const list = () =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
  expect((await list()).status).toBe(500)
  const answer = await list()
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('create_a_lead')
})

test('a failure to load the metrics of the process is reported once, and the next scrape loads them', async () => {
  const metrics = createMetrics(
    () => 0,
    () => '',
    failingOnce(async () => async () => 'process_cpu_seconds_total 1'),
  )
  await expect(metrics.text()).rejects.toThrow('EMFILE')
  expect(await metrics.text()).toContain('process_cpu_seconds_total 1')
})
