import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Progress } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { clientBackend } from '../../src/transports/mcp/client-backend.ts'
import { lineTransport } from '../../src/transports/mcp/line-transport.ts'
import { serveStdio } from '../../src/transports/mcp/stdio.ts'
import { gatedAccount } from '../support/gated.ts'
import { REVISIONS, type Revision, talkTo } from '../support/mcp.ts'
import { serverForTest, type TestServer } from '../support/server.ts'

/** The official client over a pair of streams in this process. */
async function overStreams({ service }: TestServer, revision: Revision): Promise<Client> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const caller = await localAdmin(service, 'default')
  const backend = clientBackend(clientOf(inProcessTransport(service, () => caller)), () => {})
  void serveStdio({ backend, filter: {}, version: '0' }, toServer, toClient, new Promise(() => {}), () => {})
  const mode = revision === '2026-07-28' ? { pin: revision } : ('legacy' as const)
  const client = new Client({ name: 'tests', version: '0.0.0' }, { versionNegotiation: { mode } })
  await client.connect(lineTransport(toClient, toServer))
  onTestFinished(async () => {
    await client.close()
    toServer.end()
  })
  return client
}

const WAYS = REVISIONS.flatMap((revision) => [
  { way: 'HTTP', revision, connect: async (server: TestServer) => (await talkTo(server.url, server.key, { revision })).client },
  { way: 'stdio', revision, connect: (server: TestServer) => overStreams(server, revision) },
])

const increases = (reports: readonly Progress[]) => reports.every(({ progress }, i) => i === 0 || progress > (reports[i - 1] as Progress).progress)

describe.each(WAYS)('over $way, by revision $revision', ({ connect }) => {
  test('a batch reports how many of its calls have ended', async () => {
    const server = await serverForTest()
    const client = await connect(server)
    const Operations = Array.from({ length: 250 }, (_, i) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Ada', LastName: `Lovelace ${i}` } }))
    const reports: Progress[] = []
    await client.callTool({ name: 'batch', arguments: { Operations } }, { onprogress: (report) => reports.push(report) })
    await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ progress: 250, total: 250 }), 60_000)
    expect([reports.length, increases(reports)]).toEqual([84, true])
  })

  test('a batch that is cancelled ends with the call at hand, which is recorded, and goes on with the same key', async () => {
    const server = await serverForTest()
    const account = await gatedAccount()
    await server.call('create_connection', { Platform: 'hubspot', Address: account.url, Secrets: { token: 'simulator' }, InUse: true })
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' })
    const titles = ['Miss', 'Countess', 'Mathematician']
    const batch = {
      IdempotencyKey: 'titles',
      Operations: titles.map((Title) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Title } } })),
    }
    const written = async () =>
      (
        (await server.call('get_many_changes', { Filters: { Operation: 'update_lead', Outcome: 'ok' }, OrderBy: 'At asc' })).Records as {
          After: { Title: string }
        }[]
      ).map(({ After }) => After.Title)
    const client = await connect(server)
    const gate = account.hold('PATCH')
    const cancelling = new AbortController()
    const called = client.callTool({ name: 'batch', arguments: batch }, { signal: cancelling.signal }).catch((error: Error) => error)
    await gate.reached()
    cancelling.abort()
    expect(await called).toBeInstanceOf(Error)
    // The server hears of it in the same process, before this is over.
    await sleep(3000)
    gate.release()
    await vi.waitFor(async () => expect(await written()).toEqual(['Miss']), 60_000)
    await sleep(500)
    expect(await written()).toEqual(['Miss'])
    const { structuredContent } = await client.callTool({ name: 'batch', arguments: batch })
    expect(structuredContent).toMatchObject({ Done: 3 })
    expect(await written()).toEqual(titles)
  })
})

test('a call that waits for a person reports how long', async () => {
  const server = await serverForTest()
  const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const reports: Progress[] = []
  const { client } = await talkTo(server.url, server.key, {
    revision: '2025-11-25',
    query: '?confirm=deletes',
    options: { capabilities: { elicitation: {} } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', async () => {
        await vi.waitFor(() => expect(reports.length).toBeGreaterThan(0), 60_000)
        return { action: 'accept', content: {} }
      }),
  })
  await client.callTool({ name: 'delete_lead', arguments: { LeadID } }, { onprogress: (report) => reports.push(report) })
  expect(reports[0]).toMatchObject({ progress: expect.any(Number), message: expect.stringContaining('Waiting for the person to confirm') })
  expect(reports[0]).not.toHaveProperty('total')
  expect((await server.post('get_leads', { LeadID })).status).toBe(404)
})
