import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../../contract/records/connection.ts'
import { FIRST_WORKSPACE } from '../../contract/records/workspace.ts'
import { isServed } from '../access/served.ts'
import { acquireBinding } from '../call/acquire-binding.ts'
import type { Service, WatchSettings } from '../service.ts'
import { Allowance } from './allowance.ts'
import { watchOnce } from './round.ts'
import { verifyDaily } from './verify.ts'
import { type Watched, watchedIn } from './watched.ts'

const LEASE = 'watch'
const LEASE_MS = 10_000
const RENEW_MS = 3_000

/** More requests a day than any account takes. */
const UNLIMITED = 1e12

export interface Watch {
  /** The requests that this process has sent to watch each workspace, by its number. */
  spent(): ReadonlyMap<number, number>
  stop(): Promise<void>
}

/** Follows the accounts of all workspaces, one round each in an interval. A lease makes one of several processes do it; another takes over when the lease expires. */
export function startWatch(service: Service, { intervalMs, requestsPerDay }: WatchSettings, onError: (error: unknown) => void): Watch {
  const { store } = service
  const holder = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  /** Ends the rounds of a process that has lost the lease. */
  let leased: AbortController | undefined
  const dueAt = new Map<number, number>()
  const allowances = new Map<number, Allowance>()
  const running = new Map<number, Promise<void>>()
  const working = repeat()

  return {
    spent: () => new Map([...allowances].map(([number, { spent }]) => [number, spent])),
    async stop() {
      stopping.abort()
      leased?.abort()
      await Promise.all([working, ...running.values()])
      await store.lease(LEASE, holder, 0).catch(onError)
    },
  }

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      await turn().catch(onError)
      await sleep(RENEW_MS / 3, undefined, { signal }).catch(() => {})
    }
  }

  async function turn(): Promise<void> {
    if (!(await store.lease(LEASE, holder, LEASE_MS))) {
      leased?.abort()
      leased = undefined
      return
    }
    leased ??= new AbortController()
    for (const number of await watchedNumbers(service)) {
      if (running.has(number) || (dueAt.get(number) ?? 0) > Date.now()) continue
      dueAt.set(number, Date.now() + intervalMs)
      const allowance = allowances.get(number) ?? new Allowance(requestsPerDay)
      allowances.set(number, allowance)
      const { signal: leasedSignal } = leased
      running.set(
        number,
        watchWorkspace(service, number, leasedSignal, allowance)
          .catch((error) => {
            if (!leasedSignal.aborted) onError(error)
          })
          .finally(() => running.delete(number)),
      )
    }
  }
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

/** One round in a workspace, where it has an account that can be followed. */
export async function watchWorkspace(service: Service, number: number, signal: AbortSignal, allowance = new Allowance(UNLIMITED)): Promise<void> {
  await withWatched(
    service,
    number,
    async (watched) => {
      await watchOnce(watched, signal)
      if (!signal.aborted) await verifyDaily(watched, signal)
    },
    () => allowance.take(signal),
  )
}

/** Does something with the account of a workspace; undefined where it has none that can be followed. */
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
    const watched = binding.isStore ? undefined : watchedIn(service, workspace, binding.platform, take)
    return watched && (await work(watched))
  } finally {
    binding.release()
  }
}
