import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'
import { watchWorkspace } from '../../src/core/watch/watch.ts'
import { simulate } from '../support/connected.ts'
import { HUBSPOT } from '../support/crms/hubspot.ts'
import { otherClient } from '../support/other-client.ts'
import { startServer } from '../support/server.ts'

test('a stream from a mirror says in a header how old it is, and one from the CRM does not', async () => {
  const server = await startServer({ wrap: (service) => ({ ...service, watch: { intervalMs: 60_000, requestsPerDay: 20_000 } }) })
  onTestFinished(() => server.close())
  const simulator = await simulate(simulateHubSpot)
  const other = await otherClient(HUBSPOT, simulator.url)
  onTestFinished(() => other.close())
  for (const LastName of ['Lovelace', 'Hopper']) await other.write(1, (writer) => writer.create('Lead', { LastName, Status: 'Open' }))
  await simulator.advance(60_000)
  await server.call('create_connection', { Platform: 'hubspot', Address: simulator.url, Secrets: { token: 'simulator' } })
  await watchWorkspace(server.service, 1, new AbortController().signal)
  const streamed = async (input: object) => {
    const answer = await server.post('get_many_leads', input, { accept: 'application/x-ndjson' })
    const names = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { LastName: string }).LastName)
    return [names.sort(), answer.headers.get('as-of')]
  }
  expect(await streamed({ Limit: 1 })).toEqual([['Hopper', 'Lovelace'], expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)])
  expect(await streamed({ Fresh: true })).toEqual([['Hopper', 'Lovelace'], null])
})
