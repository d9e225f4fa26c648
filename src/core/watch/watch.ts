import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import { FIRST_WORKSPACE } from '../../contract/records/workspace.ts'
import { isServed } from '../access/served.ts'
import { acquireBinding } from '../call/acquire-binding.ts'
import type { Service, WatchSettings } from '../service.ts'
import { Allowance } from './allowance.ts'
import { Pushes } from './push.ts'
import { watchOnce } from './round.ts'
import { reportStatus, type WatchFailure } from './status.ts'
import { type Verified, verifyDaily } from './verify.ts'
import { type Watched, watchedIn } from './watched.ts'

const LEASE = 'watch'
const LEASE_MS = 10_000
const RENEW_MS = 3_000

/** How often the requests of a look that takes long are reported. */
const REPORT_MS = 10_000

/** More requests a day than any account takes. */
const UNLIMITED = 1e12

export interface Watch {
  /** The requests that this process has sent to watch each workspace, by its number. */
  spent(): ReadonlyMap<number, number>
  /** What it has repaired in mirrors. */
  repaired(): readonly Repaired[]
  stop(): Promise<void>
}

export interface Repaired {
  readonly workspace: number
  readonly type: string
  readonly records: number
}

/** Follows the accounts of all workspaces, one round each in an interval. A lease makes one of several processes do it; another takes over when the lease expires. */
export function startWatch(service: Service, settings: WatchSettings, onError: (error: unknown) => void): Watch {
  const { store } = service
  const holder = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  /** Ends the rounds of a process that has lost the lease. */
  let leased: AbortController | undefined
  let renewedAt = 0
  const dueAt = new Map<number, number>()
  const allowances = new Map<number, Allowance>()
  const running = new Map<number, Promise<void>>()
  const reportedAt = new Map<number, number>()
  const failures = new Map<number, ErrorCode | undefined>()
  const repairs = new Map<string, Repaired>()
  const pushes = new Pushes(service)
  const working = repeat()

  return {
    spent: () => new Map([...allowances].map(([number, { spent }]) => [number, spent])),
    repaired: () => [...repairs.values()],
    async stop() {
      stopping.abort()
      leased?.abort()
      await Promise.all([working, ...running.values()])
      if (leased) await store.lease(LEASE, holder, 0).catch(onError)
    },
  }

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      await turn().catch(onError)
      await sleep(RENEW_MS / 3, undefined, { signal }).catch(() => {})
    }
  }

  async function turn(): Promise<void> {
    const numbers = await watchedNumbers(service)
    // Where there is nothing to watch, an idle store is not written to.
    if (numbers.size === 0 || !(await holdsLease())) return
    for (const number of numbers) {
      if (running.has(number)) await reportInTime(number)
      else if ((dueAt.get(number) ?? 0) <= Date.now() || (await pushes.came(number))) {
        dueAt.set(number, Date.now() + settings.intervalMs)
        running.set(
          number,
          look(number, leased?.signal ?? signal)
            .catch(onError)
            .finally(() => running.delete(number)),
        )
      }
    }
  }

  async function holdsLease(): Promise<boolean> {
    if (leased && Math.abs(Date.now() - renewedAt) < RENEW_MS) return true
    renewedAt = Date.now()
    if (await store.lease(LEASE, holder, LEASE_MS)) {
      leased ??= new AbortController()
      return true
    }
    leased?.abort()
    leased = undefined
    return false
  }

  /** One round in a workspace, and its report. A failure that lasts is logged once. */
  async function look(number: number, leasedSignal: AbortSignal): Promise<void> {
    const allowance = allowances.get(number) ?? new Allowance(settings.requestsPerDay)
    allowances.set(number, allowance)
    reportedAt.set(number, Date.now())
    let failure: WatchFailure | null = null
    try {
      const verified = await watchWorkspace(service, number, leasedSignal, allowance)
      if (!verified) return
      for (const one of verified) addRepaired(number, one)
      if (!leasedSignal.aborted)
        await withWatched(
          service,
          number,
          (watched) => pushes.subscribe(watched),
          () => allowance.take(leasedSignal),
        )
    } catch (error) {
      failure = failureOf(service, error)
      if (!leasedSignal.aborted && failures.get(number) !== failure.code) onError(error)
    }
    if (leasedSignal.aborted) return report(number)
    failures.set(number, failure?.code)
    await report(number, failure)
  }

  function addRepaired(workspace: number, { type, repaired }: Verified): void {
    const key = `${workspace} ${type}`
    repairs.set(key, { workspace, type, records: (repairs.get(key)?.records ?? 0) + repaired })
  }

  /** The requests of a look that takes long are reported while it goes on. */
  async function reportInTime(number: number): Promise<void> {
    if ((reportedAt.get(number) ?? 0) + REPORT_MS <= Date.now()) await report(number)
  }

  async function report(number: number, failure?: WatchFailure | null): Promise<void> {
    const requests = allowances.get(number)?.takeUnreported() ?? 0
    reportedAt.set(number, Date.now())
    await reportStatus(store, number, settings, requests, failure)
  }
}

function failureOf(service: Service, error: unknown): WatchFailure {
  const at = service.now().toISOString()
  const known = error instanceof CrmError ? error : service.store.classify(error)
  if (known) return { code: known.code, message: known.message, hint: known.hint ?? null, at }
  return { code: 'internal', message: 'An unexpected error occurred in the connector.', hint: 'The log of the service has it.', at }
}

/** The workspaces whose records are in a CRM, or may be. */
export async function watchedNumbers({ platform, platforms, store }: Service): Promise<ReadonlySet<number>> {
  const named = await Promise.all([...platforms.keys()].map((name) => store.workspace(name)))
  return new Set([
    ...(platform === store ? [] : [FIRST_WORKSPACE]),
    ...named.flatMap((workspace) => (workspace ? [workspace.number] : [])),
    ...(await store.workspacesWith(Connection.name)),
  ])
}

/** One round in a workspace. Resolves to what it has verified; undefined where there is no account that is watched. */
export function watchWorkspace(
  service: Service,
  number: number,
  signal: AbortSignal,
  allowance = new Allowance(UNLIMITED),
): Promise<readonly Verified[] | undefined> {
  return withWatched(
    service,
    number,
    async (watched) => {
      const refusal = await watchOnce(watched, signal)
      const verified = signal.aborted ? [] : await verifyDaily(watched, signal)
      if (refusal !== undefined) throw refusal
      return verified
    },
    () => allowance.take(signal),
  )
}

/** Does something with the account of a workspace; undefined where it has none that is watched. Errors of the CRM are thrown as CrmError. */
export async function withWatched<T>(
  service: Service,
  number: number,
  work: (watched: Watched) => Promise<T>,
  take?: () => Promise<void>,
): Promise<T | undefined> {
  const workspace = await service.store.workspace(number)
  if (!workspace || !isServed(workspace)) return undefined
  const binding = await acquireBinding(service, workspace)
  try {
    if (!binding.isWatchable) return undefined
    const watched = watchedIn(service, workspace, binding.platform, take)
    // One that could not be opened yet says why.
    if (!watched) await binding.platform.ping()
    return watched && (await work(watched))
  } catch (error) {
    const failure = error instanceof CrmError ? undefined : binding.platformForNames.classify(error)
    if (!failure) throw error
    throw new CrmError(failure.code, failure.message, { cause: error, ...(failure.hint !== undefined && { hint: failure.hint }) })
  } finally {
    binding.release()
  }
}
