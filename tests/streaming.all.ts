import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seedLeads } from '../bench/seed.ts'
import { bootstrap } from '../src/core/access/bootstrap.ts'
import { createService } from '../src/core/service.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from './support/folder.ts'
import { type RunningService, startService } from './support/service.ts'

const LEADS = 200_000
/** Little more than half of what one answer measures. */
const HEAP_MB = 32

/** A folder with so many leads stored in it. */
async function seeded(): Promise<string> {
  const cwd = await temporaryFolder()
  const store = await openSqlite(join(cwd, 'data/crm.db'))
  await bootstrap(createService({ platform: store, store }))
  const { records } = await store.reader(1).find('User', { where: [], order: { field: 'CreatedDate', descending: true }, limit: 1 })
  await seedLeads(store, 1, [String(records[0]?.UserID)], LEADS)
  await store.close()
  return cwd
}

/** Reads a stream to its end, pausing as often as `pace` says, and counts each id. */
async function streamed(service: RunningService, pace: (bytes: number) => Promise<void> | undefined): Promise<{ ids: Map<string, number>; bytes: number }> {
  const outgoing = request(`${service.url}/v1/operations/get_many_leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key()}`, accept: 'application/x-ndjson', 'content-type': 'application/json' },
  })
  outgoing.end('{}')
  const [incoming] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage]
  const ids = new Map<string, number>()
  let rest = ''
  let bytes = 0
  for await (const chunk of incoming) {
    bytes += (chunk as Buffer).length
    const lines = (rest + (chunk as Buffer).toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, id = line] = /^\{"LeadID":"(\w+)"/.exec(line) ?? []
      ids.set(id, (ids.get(id) ?? 0) + 1)
    }
    await pace(bytes)
  }
  expect(rest).toBe('')
  return { ids, bytes }
}

/** The most memory a process has had at once. */
const peakMegabytes = ({ child }: RunningService) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024

test(`${LEADS} leads stream to a fast and to a slow reader, each exactly once while others write, from a service with ${HEAP_MB} MB of heap`, async () => {
  const cwd = await seeded()
  const service = await startService(cwd, { node: [`--max-old-space-size=${HEAP_MB}`], env: { CRM_ADMIN_KEY: 'k'.repeat(32) } })
  let ended = false
  const written: string[] = []
  const writing = (async () => {
    while (!ended) written.push(String((await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).LeadID))
  })()
  const started = peakMegabytes(service)
  let paused = 0
  const [fast, slow] = await Promise.all([
    streamed(service, () => undefined),
    streamed(service, (bytes) => {
      if (bytes < paused + 2_000_000) return undefined
      paused = bytes
      return new Promise((resolve) => setTimeout(resolve, 40))
    }),
  ])
  ended = true
  await writing

  for (const { ids, bytes } of [fast, slow]) {
    for (const id of written) ids.delete(id)
    expect(ids.size).toBe(LEADS)
    expect([...ids.values()].every((times) => times === 1)).toBe(true)
    expect(bytes).toBeGreaterThan(HEAP_MB * 1_000_000)
  }
  expect(written.length).toBeGreaterThan(20)
  // The heap, and what the store keeps of its file.
  if (process.platform === 'linux') expect(peakMegabytes(service)).toBeLessThan(started + HEAP_MB + 96)
  expect(await service.call('get_summary_of_leads')).toMatchObject({ Total: LEADS + written.length })
  expect(await service.end()).toBe(0)
})
