import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bootstrap } from '../src/core/access/bootstrap.ts'
import { addWorkspace } from '../src/core/access/new-workspace.ts'
import { createService } from '../src/core/service.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'
import { median, startService } from './processes.ts'
import type { Result } from './report.ts'

const WORKSPACES = 1000
const RUNS = 5
/** What is not used is let go after two minutes at the latest. */
const IDLE_MS = 130_000
const AT_ONCE = 50

/** A store with so many workspaces beside the first, and the keys of their admins. */
async function storeWith(folder: string, count: number): Promise<string[]> {
  const store = await openSqlite(join(folder, 'crm.db'))
  const service = createService({ platform: store, store })
  await bootstrap(service, { keep: (key) => writeFileSync(join(folder, 'admin-key'), key) })
  const keys: string[] = []
  for (let i = 0; i < count; i += AT_ONCE)
    keys.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => addWorkspace(service, `customer-${i + n}`)))).map(({ key }) => key))
  await store.close()
  return keys
}

interface Measured {
  readonly readyMs: number
  /** Memory of the process, and of its objects, in bytes. */
  readonly rss: number
  readonly heap: number
}

type Service = Awaited<ReturnType<typeof startService>>

async function measured(folder: string, work?: (service: Service) => Promise<void>): Promise<Measured> {
  const began = performance.now()
  const service = await startService(folder, { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` })
  const ready = await fetch(`${service.url}/readyz`)
  if (!ready.ok) throw new Error(`/readyz answered ${ready.status}`)
  const readyMs = performance.now() - began
  await pause(1000)
  const { rss, heap } = await memoryOf(service)
  await work?.(service)
  await service.stop()
  return { readyMs, rss, heap }
}

/** Memory after a collection, which a heap snapshot begins with. */
async function memoryOf({ url, process: { pid } }: Service, collect = false): Promise<{ readonly rss: number; readonly heap: number }> {
  if (collect) {
    process.kill(pid as number, 'SIGUSR2')
    await pause(5000)
  }
  const samples: { rss: number; heap: number }[] = []
  for (let i = 0; i < 20; i++) {
    const text = await (await fetch(`${url}/metrics`)).text()
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    samples.push({ rss: figure('process_resident_memory_bytes'), heap: figure('nodejs_heap_size_used_bytes') })
    await pause(20)
  }
  return { rss: Math.min(...samples.map(({ rss }) => rss)), heap: Math.min(...samples.map(({ heap }) => heap)) }
}

const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`

/** What workspaces cost that are not used, and whether what they took is given back. */
export async function workspaces(): Promise<readonly Result[]> {
  const [few, many] = ['one', 'thousand'].map((name) => mkdtempSync(join(tmpdir(), `crm-${name}-`))) as [string, string]
  await storeWith(few, 0)
  const keys = await storeWith(many, WORKSPACES)
  const [one, thousand]: [Measured[], Measured[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    one.push(await measured(few))
    thousand.push(await measured(many))
  }
  const of = (rounds: readonly Measured[], name: keyof Measured) => median(rounds.map((round) => round[name]))
  const used: { rss: number; heap: number }[] = []
  await measured(many, async (service) => {
    const left = [...keys]
    const call = async (key: string) => {
      for (const [operation, input] of [
        ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }],
        ['get_many_leads', {}],
      ] as const) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const answer = await fetch(`${service.url}/v1/operations/${operation}`, { method: 'POST', headers, body: JSON.stringify(input) })
        if (!answer.ok) throw new Error(await answer.text())
        await answer.arrayBuffer()
      }
    }
    // As much work in one workspace, so that what is compiled and loaded for it does not count.
    for (let i = 0; i < WORKSPACES / 2; i++) await call(service.key)
    used.push(await memoryOf(service, true))
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let key = left.pop(); key; key = left.pop()) await call(key)
      }),
    )
    used.push(await memoryOf(service, true))
    await pause(IDLE_MS)
    used.push(await memoryOf(service, true))
  })
  for (const folder of [few, many]) rmSync(folder, { recursive: true, force: true })
  const [before, after, idle] = used as [Measured, Measured, Measured]
  const compared = (what: string, name: 'rss' | 'heap'): Result => ({
    what,
    ours: mb(of(thousand, name)),
    other: `1: ${mb(of(one, name))}`,
    ratio: of(thousand, name) / of(one, name),
    atMost: 1.1,
  })
  return [
    {
      what: `Start to ready with ${WORKSPACES} unused workspaces`,
      ours: `${of(thousand, 'readyMs').toFixed(0)} ms`,
      other: `1: ${of(one, 'readyMs').toFixed(0)} ms`,
      ratio: of(thousand, 'readyMs') / of(one, 'readyMs'),
      atMost: 1.2,
    },
    compared(`Memory of the process with ${WORKSPACES} unused workspaces`, 'rss'),
    compared(`Heap with ${WORKSPACES} unused workspaces`, 'heap'),
    { what: `Heap after all ${WORKSPACES} were used`, ours: mb(after.heap), other: `one used ${mb(before.heap)}`, ratio: after.heap / before.heap },
    {
      what: 'Heap after they were idle for two minutes',
      ours: mb(idle.heap),
      other: `one used ${mb(before.heap)}`,
      ratio: idle.heap / before.heap,
      atMost: 1.25,
    },
  ]
}
