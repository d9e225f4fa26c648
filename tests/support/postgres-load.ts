import { expect } from 'vitest'
import { Client, Refused, type Sent } from './clients.ts'
import { expectOneEventPerChange, expectReplays, until } from './crashes.ts'
import { answerOf, crm } from './crm.ts'
import { temporaryFolder } from './folder.ts'
import { ask } from './postgres-database.ts'
import { expectOnlyAcknowledgedIn, expectSoundPostgres } from './postgres-sound.ts'
import { type RunningService, startService } from './service.ts'

const ADMIN_KEY = 'the-key-of-the-admin-of-all-these-tests'
/** After this time without progress a client counts as hanging. */
const ENDLESS_MS = 240_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const environment = (url: string) => ({ CRM_PLATFORM: url, CRM_ADMIN_KEY: ADMIN_KEY, CRM_LOG_LEVEL: 'error' })

/** The built service on a database. Any number of them may share one. */
export async function serviceOn(url: string): Promise<RunningService> {
  return startService(await temporaryFolder(), { env: environment(url) })
}

/** Adds a workspace to a store, and resolves to the key of its admin. */
export async function otherWorkspace(url: string): Promise<string> {
  const { Key } = answerOf(await crm(['workspaces', 'add', 'other'], { cwd: await temporaryFolder(), env: environment(url) }))
  return String(Key)
}

/** A client of a service whose database is unavailable at times: it retries 503s with the same key until the call is acknowledged. */
export class RetryingClient extends Client {
  /** How often it got a 503. */
  refusals = 0
  /** The longest time that any answer took. */
  longestMs = 0

  override async send(service: RunningService, sent: Sent, signal: AbortSignal | null = null): ReturnType<Client['send']> {
    for (;;) {
      const began = performance.now()
      try {
        return await super.send(service, sent, signal)
      } catch (error) {
        sent.repeated = true
        if (!(error instanceof Refused)) throw error
        // A call with an idempotency key is never answered 504: the service looks up its outcome by the key.
        if (error.status !== 503) throw error
        if (sent.kind === 'call') expect(Number(error.retryAfter)).toBeGreaterThan(0)
        this.refusals++
        await pause(20 + Math.random() * 80)
      } finally {
        this.longestMs = Math.max(this.longestMs, performance.now() - began)
      }
    }
  }
}

export interface Load {
  readonly clients: readonly RetryingClient[]
  readonly refusals: () => number
  /** Waits until this many more calls are acknowledged, and resolves to the milliseconds that took. */
  readonly more: (count: number) => Promise<number>
  /** Stops the clients, and resolves once all their calls are acknowledged. */
  readonly end: () => Promise<void>
}

/** Clients that write until stopped. One that loses its service continues with the next; the list of services may change meanwhile. */
export function startLoad(services: readonly RunningService[], count: number, other?: string): Load {
  const clients = Array.from({ length: count }, (_, i) => new RetryingClient(`client${i}`, i % 4 === 0 ? other : undefined))
  const answered = () => clients.reduce((sum, { done }) => sum + done.length, 0)
  let ended = false
  const writing = Promise.all(
    clients.map(async (client, i) => {
      for (let at = i; !ended || client.open; at++) {
        await client.write(services[at % services.length] as RunningService, () => ended)
        await pause(20)
      }
    }),
  )
  // A failure is reported by the next `more` or `end`.
  writing.catch(() => {})
  return {
    clients,
    refusals: () => clients.reduce((sum, { refusals }) => sum + refusals, 0),
    async more(wanted) {
      const [began, before] = [performance.now(), answered()]
      const elapsed = () => Math.round(performance.now() - began)
      await Promise.race([writing, until(() => answered() >= before + wanted || elapsed() > ENDLESS_MS)])
      if (answered() < before + wanted) throw new Error(`No progress.\n${services.map((service) => service.err().slice(-2000)).join('\n')}`)
      return elapsed()
    },
    async end() {
      ended = true
      await writing
    },
  }
}

/**
 * After any faults: each call was executed once, every answer is replayed identically, the store matches the answers exactly, and the
 * services exit cleanly, without unexpected logs or open connections.
 */
export async function expectExactlyOn(url: string, services: readonly RunningService[], { clients, end }: Load): Promise<void> {
  await end()
  const [service] = services as readonly [RunningService]
  await expectNoMoreConnections(url, services.length)
  await Promise.all(clients.map((client) => expectReplays(service, client)))
  await expectOneEventPerChange(service, clients)
  await expectSoundPostgres(url)
  for (const one of services) {
    expect(await one.end()).toBe(0)
    expectNoUnexpectedLogs(one)
  }
  await expect.poll(() => connections(url)).toBe(0)
  await expectSoundPostgres(url)
  await expectOnlyAcknowledgedIn(url, clients)
}

/** Those of the pool, two for background work, and one for LISTEN. */
const MOST = 10 + 2 + 1

export const OURS = `FROM pg_stat_activity WHERE application_name = 'crm-connector' AND datname = current_database()`

export async function connections(url: string): Promise<number> {
  const [row] = await ask(url, `SELECT COUNT(*) AS n ${OURS}`)
  return Number(row?.n)
}

async function expectNoMoreConnections(url: string, services: number): Promise<void> {
  expect(await connections(url)).toBeLessThanOrEqual(services * MOST)
}

/** While its database is unavailable, a service logs only failed calls with their cause; no unexpected errors and no secrets. */
export function expectNoUnexpectedLogs(service: RunningService): void {
  const log = service.err()
  expect(log).not.toMatch(/p%40ss|p@ss|unhandled|uncaught|Warning/i)
  const lines = log.split('\n').filter((line) => line.endsWith('}'))
  const unexpected = lines.filter((line) => {
    const { code, msg } = JSON.parse(line) as { code?: string; msg: string }
    return !msg.startsWith('background work failed') && code !== 'platform_unavailable' && code !== 'outcome_unknown'
  })
  expect(unexpected.slice(0, 3)).toEqual([])
  expect(log.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([])
}
