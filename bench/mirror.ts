import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAccounts } from '../src/app/accounts.ts'
import { RequestCounts } from '../src/app/request-counts.ts'
import { recordType } from '../src/contract/operations.ts'
import { bootstrap } from '../src/core/access/bootstrap.ts'
import { acquireBinding } from '../src/core/call/acquire-binding.ts'
import { retryFor } from '../src/core/call/retry.ts'
import { createService, type Service } from '../src/core/service.ts'
import { attachedTypes } from '../src/core/watch/attached/rows.ts'
import { changedSince } from '../src/core/watch/changed.ts'
import { mirroredTypes } from '../src/core/watch/mirrored.ts'
import { startWatch, watchWorkspace } from '../src/core/watch/watch.ts'
import { type Watched, watchedIn } from '../src/core/watch/watched.ts'
import { openCrmPlatform } from '../src/platforms/crms/engine/open.ts'
import type { CrmName } from '../src/platforms/crms/names.ts'
import { CRMS } from '../src/platforms/crms/registry.ts'
import type { Platform } from '../src/platforms/platform.ts'
import type { Workspace } from '../src/platforms/store.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'
import { type Ask, createLead, createLeads } from './mirror-leads.ts'
import { mirrorReads } from './mirror-reads.ts'
import { median, start } from './processes.ts'
import type { Result } from './report.ts'

const LEADS = 100_000
const LATENCY_MS = 50
/** How often the mirror is filled, and how many leads the bare loop reads each time: where 100,000 are 500 pages, each takes as long as the others. */
const FILLS: { readonly [name in CrmName]: { readonly rounds: number; readonly bare: number } } = {
  salesforce: { rounds: 2, bare: LEADS },
  hubspot: { rounds: 1, bare: LEADS / 5 },
  espocrm: { rounds: 1, bare: LEADS / 5 },
}
/** Longer than a poll takes: HubSpot allows five searches a second. */
const INTERVAL_MS = 5_000
/** What a change may take beyond an interval until it is announced. */
const LATE_MS = 2_000
const CHANGES = 6
const QUIET_MS = 600_000

/** The mirror of a simulated account with 100,000 leads and a latency of 50 ms: how fast it is filled, what an idle poll costs, and how late a change is announced. */
export async function mirrorResults(name: CrmName, signIn: (url: string) => Promise<{ readonly [header: string]: string }>): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const simulator = await start(['dist/main.js', 'simulate', name, '--port', '0'])
  const platform = await opened(name, simulator.url)
  try {
    const ask: Ask = async (path, body, method = 'POST') => {
      // A session does not outlast the hours by which the clock is advanced.
      const headers = { ...(await signIn(simulator.url)), 'content-type': 'application/json' }
      const answer = await fetch(`${simulator.url}${path}`, { method, headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return answer.json()
    }
    await createLeads(name, ask, LEADS)
    await ask('/simulator/faults', [`slow=${LATENCY_MS}`], 'PUT')

    const { rounds, bare: some } = FILLS[name]
    const times: { readonly ours: number; readonly bare: number }[] = []
    let filled = await serviceOn(platform, join(folder, '0.db'))
    for (let round = 1; round <= rounds; round++) {
      const bare = (await timed(() => pagesOf(filled, some))) * (LEADS / some)
      const ours = await timed(() => watchWorkspace(filled, 1, NEVER))
      const count = await filled.store.mirror(1).count('Lead', [])
      if (count !== LEADS) throw new Error(`${count} leads are in the mirror`)
      times.push({ ours, bare })
      if (round === rounds) break
      await filled.store.close()
      filled = await serviceOn(platform, join(folder, `${round}.db`))
    }

    const calls = async () => ((await (await fetch(`${simulator.url}/simulator`)).json()) as { calls: number }).calls
    // A poll goes back some minutes, in which nothing was changed.
    await ask('/simulator/clock', { advance: QUIET_MS })
    await watchWorkspace(filled, 1, NEVER)
    const before = await calls()
    await watchWorkspace(filled, 1, NEVER)
    const requests = (await calls()) - before
    const types = mirroredTypes(platform).length + attachedTypes(platform).length

    const reads = await mirrorReads(name, platform, filled.store, folder, name !== 'salesforce')
    const late = await announced(filled, (n) => createLead(name, ask, LEADS + n))
    await filled.store.close()
    return [
      ...reads,
      {
        what: `${name}: backfilling a mirror with ${LEADS.toLocaleString('en')} leads`,
        ours: perSecond(times.map(({ ours }) => ours)),
        other: `bare loop over the pages${some < LEADS ? ` of ${some.toLocaleString('en')}` : ''} ${perSecond(times.map(({ bare }) => bare))}`,
        ratio: median(times.map(({ ours, bare }) => bare / ours)),
        atLeast: 0.5,
      },
      {
        what: `${name}: requests for each type of a poll that finds nothing`,
        ours: `${requests}`,
        other: `${types} types`,
        ratio: requests / types,
        atMost: 2,
      },
      {
        what: `${name}: how late the latest of ${CHANGES} changes is announced, in units of an interval and ${LATE_MS / 1000} s`,
        ours: `${Math.round(late)} ms`,
        other: `an interval of ${INTERVAL_MS} ms`,
        ratio: late / (INTERVAL_MS + LATE_MS),
        atMost: 1,
      },
    ]
  } finally {
    await platform.close()
    await simulator.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const NEVER = new AbortController().signal

const perSecond = (ms: readonly number[]) => `${Math.round(LEADS / (median(ms) / 1000))}/s`

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function opened(name: CrmName, address: string): Promise<Platform> {
  const { kind: load, simulator } = CRMS[name]
  const kind = await load()
  return openCrmPlatform(kind, {
    address,
    settings: { quotaFloor: 0, timeoutMs: 60_000, options: {} },
    secrets: simulator.secrets,
    tables: kind.tables({}),
    retry: retryFor(60_000, { firstMs: 5, longestMs: 100 }),
    reconcileMs: 100,
  })
}

/** The connector on a new store. */
async function serviceOn(platform: Platform, file: string): Promise<Service> {
  const store = await openSqlite(file)
  const accounts = createAccounts({ crms: {}, connectPrivate: true }, { counts: new RequestCounts(), takeFromRateLimit: store.takeFromRateLimit })
  const service = createService({ platform, store, accounts })
  await bootstrap(service)
  return service
}

/** Reads so many leads as the watch does, and stores none. */
async function pagesOf(service: Service, wanted: number): Promise<void> {
  const workspace = (await service.store.workspace(1)) as Workspace
  const binding = await acquireBinding(service, workspace)
  let count = 0
  for await (const page of changedSince(watchedIn(service, workspace, binding.platform) as Watched, recordType('Lead'), undefined)) {
    count += page.length
    if (count >= wanted) break
  }
  binding.release()
  if (count < wanted) throw new Error(`${count} leads are there`)
}

/** The longest time in milliseconds from a change in the account until its event can be read. */
async function announced(service: Service, change: (n: number) => Promise<void>): Promise<number> {
  const journal = service.store.journal(1)
  const watch = startWatch(service, { intervalMs: INTERVAL_MS, requestsPerDay: 1e9 }, (error) => console.error(error))
  let longest = 0
  try {
    for (let n = 0; n < CHANGES; n++) {
      // Changes come at any moment of an interval.
      await sleep((n * INTERVAL_MS) / CHANGES)
      const { newest } = await journal.span()
      const began = performance.now()
      await change(n)
      while ((await journal.span()).newest === newest) await sleep(10)
      longest = Math.max(longest, performance.now() - began)
    }
  } finally {
    await watch.stop()
  }
  return longest
}
