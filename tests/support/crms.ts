import type { Simulate } from 'crm-simulators'
import { type Simulator, startSimulator } from 'crm-simulators'
import { CRM_SETTINGS_TABLE } from '../../src/config/crm-settings.ts'
import { clientOf } from '../../src/contract/client/client.ts'
import { User } from '../../src/contract/records/user.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { addWorkspace } from '../../src/core/access/new-workspace.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { retryFor } from '../../src/core/call/retry.ts'
import { createService, DEFAULT_WATCH, type Service } from '../../src/core/service.ts'
import type { CrmKind, CrmOptions } from '../../src/platforms/crms/engine/kind.ts'
import { openCrmPlatform } from '../../src/platforms/crms/engine/open.ts'
import type { Platform } from '../../src/platforms/platform.ts'
import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import type { Connection, Lack, Values } from '../../src/testing/index.ts'
import { accountsOn } from './accounts.ts'
import { deadLetters } from './in-process.ts'
import { retryingTransport } from './retrying-transport.ts'
import { StoppableClock } from './stoppable-clock.ts'

/** All faults of the simulators, at low rates. */
export const FAULTS: readonly string[] = [
  'drop-before=0.01',
  'drop-after=0.01',
  'error=0.01',
  'error-after=0.01',
  'rate-limit=0.001',
  'expired-session=0.01',
  'lock-row=2x',
  'malformed=0.01',
  'stale-cursor=0.1',
]

/** A CRM under test: its simulator and its capabilities. */
export interface Crm {
  readonly kind: CrmKind
  readonly simulate: Simulate
  /** The names of its secrets, whose values are all `simulator`. */
  readonly secrets: readonly string[]
  readonly options?: { readonly [name: string]: string }
  readonly values: Partial<Values>
  readonly lacks: readonly Lack[]
  /** The request that creates a user in the CRM. */
  readonly user: (n: number) => { readonly path: string; readonly body: unknown }
  /** Headers that authorize a request to the CRM itself. */
  readonly headers: (url: string) => Promise<{ readonly [name: string]: string }>
}

/** Capabilities that only stores have. */
export const LACKS: readonly Lack[] = [
  'atomic',
  'restore',
  'definitions',
  'own fields',
  'member external ids',
  'maintained counters',
  'predictable dry run',
  'full fields',
  'capital addresses',
]

const SETTINGS: Omit<CrmOptions, 'options'> = { quotaFloor: 0, timeoutMs: 10_000 }

export interface OpenedCrm {
  readonly simulator: Simulator
  readonly platform: Platform
}

/** Starts a simulator and opens the platform on it. */
export async function openCrm(
  crm: Crm,
  { faults = [], settleMs = 500, seed = 1, clock = Date.now }: { faults?: readonly string[]; settleMs?: number; seed?: number; clock?: () => number } = {},
): Promise<OpenedCrm> {
  const simulator = await startSimulator(crm.simulate, { faults, seed, clock })
  const options = crm.options ?? {}
  const platform = await openCrmPlatform(crm.kind, {
    address: simulator.url,
    settings: { ...SETTINGS, options },
    secrets: Object.fromEntries(crm.secrets.map((name) => [name, 'simulator'])),
    tables: crm.kind.tables(options),
    retry: retryFor(10_000, { firstMs: 5, longestMs: 100 }),
    reconcileMs: settleMs,
  })
  return {
    simulator,
    platform: {
      ...platform,
      async close() {
        await platform.close()
        await simulator.close()
      },
    },
  }
}

let users = 0

let turn: Promise<unknown> = Promise.resolve()

/** Creates a user in a simulated CRM, with fault injection paused meanwhile. */
function makeUser(crm: Crm, simulator: Simulator): Promise<string> {
  const made = turn.then(() => madeUser(crm, simulator))
  turn = made.catch(() => {})
  return made
}

async function madeUser(crm: Crm, simulator: Simulator): Promise<string> {
  const { path, body } = crm.user(++users)
  const faults = simulator.faults.list().filter((fault) => !fault.endsWith('=0x'))
  simulator.faults.clear()
  try {
    const ask = async () => {
      const headers = { 'content-type': 'application/json', ...(await crm.headers(simulator.url)) }
      return fetch(`${simulator.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    const first = await ask()
    // The session may have just expired.
    const answer = first.status === 401 ? await ask() : first
    const { id } = (await answer.json()) as { id?: string }
    if (id === undefined) throw new Error(`No user was made: ${answer.status}`)
    return id
  } finally {
    for (const fault of faults) simulator.faults.add(fault)
  }
}

interface OverCrm {
  readonly faults?: readonly string[]
  readonly store?: Store
  readonly settleMs?: number
  /** Whether the CRM can be made to carry out a write late. */
  readonly late?: boolean
  /** Set where the accounts are watched, by rounds of the test. */
  readonly isWatched?: boolean
}

/** The connector in process, on two simulated accounts, one for each of two workspaces. */
export async function overCrm(
  crm: Crm,
  { faults = [], store: given, late = false, isWatched = false, settleMs = late ? CRM_SETTINGS_TABLE.settle.number.fallback * 1000 : 500 }: OverCrm = {},
): Promise<Connection & { readonly simulator: Simulator; readonly service: Service }> {
  const clock = new StoppableClock()
  const opening = { settleMs, clock: clock.now }
  const [first, second] = [await openCrm(crm, opening), await openCrm(crm, opening)]
  const store = given ?? (await openSqlite(':memory:', clock.now))
  const now = () => new Date(clock.now())
  const watch = isWatched ? DEFAULT_WATCH : undefined
  const service = createService({ platform: first.platform, store, accounts: accountsOn(store), platforms: new Map([['other', second.platform]]), now, watch })
  const { key } = await bootstrap(service)
  const otherAdminKey = (await addWorkspace(service, 'other')).key
  const makePlatformUser = (workspace: 'first' | 'second') => makeUser(crm, (workspace === 'first' ? first : second).simulator)
  for (const [number, workspace] of [
    [1, 'first'],
    [2, 'second'],
  ] as const) {
    const PlatformUserID = await makePlatformUser(workspace)
    await store.write(number, async (writer) => {
      const { records } = await writer.find(User.name, { where: [], order: { field: User.id, descending: false }, limit: 1 })
      await writer.update(User.name, records[0]?.UserID as string, { PlatformUserID })
    })
  }
  for (const { simulator } of [first, second]) for (const fault of faults) simulator.faults.add(fault)
  const authenticate = createAuthenticator(service)
  let resent = 0
  return {
    adminKey: key as string,
    otherAdminKey,
    signIn(one) {
      const transport = inProcessTransport(service, () => authenticate(one))
      // With faults, calls only succeed with retries.
      return clientOf(faults.length > 0 ? retryingTransport(transport, () => resent++) : transport)
    },
    leaveDeadLetter: deadLetters(store),
    values: crm.values,
    lacks: crm.lacks,
    // After a fault the service retries single requests of a batch itself, which may change their order.
    resent: () => resent + first.simulator.faults.happened + second.simulator.faults.happened,
    makePlatformUser,
    ...(late && { loseNextWrite: losing(first.simulator, clock) }),
    simulator: first.simulator,
    service,
    async close() {
      await first.platform.close()
      await second.platform.close()
      await store.close()
    },
  }
}

function losing(simulator: Simulator, clock: StoppableClock): NonNullable<Connection['loseNextWrite']> {
  return async (seconds, work) => {
    clock.stop()
    simulator.faults.add(`late=${seconds}s`)
    try {
      await work(async (passed) => {
        simulator.faults.clear()
        clock.move(passed * 1000)
        // What is due by now is done.
        await simulator.advance(0)
      })
    } finally {
      simulator.faults.clear()
      clock.resume()
    }
  }
}
