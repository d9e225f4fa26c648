import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
import { mergeMetrics } from '../src/app/process-metrics.ts'
import { crm } from './support/crm.ts'
import { temporaryFolder } from './support/folder.ts'
import { type RunningService, startService } from './support/service.ts'

const TWO = { env: { CRM_PROCESSES: '2' } }

/** The processes that answer calls, as the metrics name them. */
async function processesOf({ url }: RunningService): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()
  return [...text.matchAll(/^crm_http_in_flight\{process="(\d+)"\}/gm)].map(([, pid]) => Number(pid))
}

/** The two processes, once both answer and `without` is none of them. */
function bothOf(service: RunningService, without?: number): Promise<number[]> {
  return vi.waitFor(async () => {
    const both = await processesOf(service)
    expect(both).toHaveLength(2)
    expect(both).not.toContain(without)
    return both
  }, 60_000)
}

/** Calls one after the other, each on a connection of its own, until `done`; resolves to how many were answered. */
async function callUntil({ post }: RunningService, done: Promise<unknown>): Promise<number> {
  let isDone = false
  void done.finally(() => {
    isDone = true
  })
  let answered = 0
  while (!isDone) {
    expect((await post('get_current_user', {}, { connection: 'close' })).status).toBe(200)
    answered++
  }
  return answered
}

test('several processes share one listener, and SIGHUP replaces them one after the other without a refused call', async () => {
  const service = await startService(await temporaryFolder(), TWO)
  await expect.poll(() => processesOf(service)).toHaveLength(2)
  const before = await processesOf(service)
  expect(before).not.toContain(service.child.pid)

  service.child.kill('SIGHUP')
  const replaced = expect
    .poll(async () => {
      const now = await processesOf(service)
      return now.length === 2 && now.every((pid) => !before.includes(pid))
    })
    .toBe(true)
  expect(await callUntil(service, replaced)).toBeGreaterThan(0)
  await replaced
  expect(await service.end()).toBe(0)
})

test('one that dies is replaced, and what it had acknowledged is there', async () => {
  const service = await startService(await temporaryFolder(), TWO)
  const [victim] = (await bothOf(service)) as [number, number]
  const { LeadID } = await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  process.kill(victim, 'SIGKILL')
  await bothOf(service, victim)
  expect(await service.call('get_leads', { LeadID })).toMatchObject({ LeadID })
  expect(service.err()).toContain('a process has ended by itself and is replaced')
})

test('one that dies while metrics are scraped takes none of the others along', async () => {
  const service = await startService(await temporaryFolder(), TWO)
  let [victim] = (await bothOf(service)) as [number, number]
  let isOver = false
  const scrape = async () => {
    while (!isOver) await processesOf(service).catch(() => {})
  }
  const scraping = Promise.all(Array.from({ length: 4 }, scrape))
  for (let n = 0; n < 4; n++) {
    process.kill(victim, 'SIGKILL')
    ;[victim] = (await bothOf(service, victim)) as [number, number]
  }
  isOver = true
  await scraping
  expect(await service.end()).toBe(0)
})

test('a service that cannot start ends as it would with one process', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const serve = async (env: Record<string, string>) => crm(['serve'], { cwd: await temporaryFolder(), env: { ...env, CRM_PORT: String(port) } })
  const [one, two] = [await serve({}), await serve(TWO.env)]
  taken.close()
  expect(two).toEqual(one)
  expect(one).toMatchObject({ code: 7, err: expect.stringContaining(String(port)) })
})

test('processes cannot share a store in memory, and their number is checked', async () => {
  const serve = async (env: Record<string, string>) => crm(['serve'], { cwd: await temporaryFolder(), env })
  expect((await serve({ ...TWO.env, CRM_PLATFORM: 'sqlite::memory:' })).err).toContain('Processes cannot share a store in memory.')
  expect((await serve({ CRM_PROCESSES: 'many' })).err).toContain('CRM_PROCESSES must be auto or a whole number from 1 to 64.')
})

test('metrics of several processes are one text, in which each line names its process', () => {
  const text = (n: number) => `# HELP a Some.\n# TYPE a gauge\na ${n}\n\n# HELP b More.\n# TYPE b counter\nb{x="y z"} ${n}\n`
  expect(
    mergeMetrics([
      { process: '1', text: text(1) },
      { process: '2', text: text(2) },
    ]),
  ).toBe(
    '# HELP a Some.\n# TYPE a gauge\na{process="1"} 1\na{process="2"} 2\n\n# HELP b More.\n# TYPE b counter\nb{process="1",x="y z"} 1\nb{process="2",x="y z"} 2\n',
  )
})
