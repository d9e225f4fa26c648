import { randomUUID } from 'node:crypto'
import { Webhook } from '../../contract/records/webhook.ts'
import type { Workspace } from '../../platforms/store.ts'
import { findRecords } from '../call/records.ts'
import type { Service } from '../service.ts'
import { createChannel, type OnDelivery } from './channel.ts'

const LEASE = 'webhooks'
const LEASE_MS = 10_000
const RENEW_MS = 3_000
/** Debounces wake-ups, so that events in quick succession are delivered together. */
const DEBOUNCE_MS = 25
/** The pause after an error of the store. */
const RETRY_MS = 1_000
/** How long a running delivery may take once the courier is stopped. */
const GRACE_MS = 2_000
/** The longest sleep, since timers overflow after 24 days. */
const LONGEST_SLEEP_MS = 60_000

export interface Courier {
  stop(): Promise<void>
}

/** Delivers the events of all webhooks of the store. A lease makes one of several processes do it; another takes over when the lease expires. */
export function startCourier(service: Service, onDelivery: OnDelivery, onError: (error: unknown) => void): Courier {
  const { store } = service
  const holder = randomUUID()
  const graceful = new AbortController()
  const immediate = new AbortController()
  const channels = new Map<string, Promise<void>>()
  const wakers = new Set<() => void>()
  let wakeUps = 0
  let leasedUntil = 0
  const unwatch = store.watch(wakeAll)
  const managing = repeat(openChannels)

  return {
    async stop() {
      unwatch()
      graceful.abort()
      wakeAll()
      const timer = setTimeout(() => immediate.abort(), GRACE_MS)
      await Promise.all([managing, ...channels.values()])
      clearTimeout(timer)
      if (leasedUntil > 0) await store.lease(LEASE, holder, 0).catch(onError)
    },
  }

  /** Opens a channel for each active webhook, and renews the lease as long as there is one. */
  async function openChannels(): Promise<number> {
    const hooks = await activeHooks()
    if (hooks.length > 0 && Date.now() > leasedUntil - LEASE_MS + RENEW_MS) {
      const until = Date.now() + LEASE_MS
      leasedUntil = (await store.lease(LEASE, holder, LEASE_MS)) ? until : 0
    }
    if (isLeased()) for (const { workspace, id } of hooks) open(workspace, id)
    return hooks.length > 0 ? Date.now() + RENEW_MS : Number.POSITIVE_INFINITY
  }

  function isLeased(): boolean {
    return Date.now() < leasedUntil
  }

  async function activeHooks(): Promise<{ workspace: Workspace; id: string }[]> {
    const hooks: { workspace: Workspace; id: string }[] = []
    for (const workspace of await store.workspaces()) {
      const records = await findRecords(store.reader(workspace.number), Webhook, {
        where: [{ field: 'Active', family: 'boolean', operator: 'eq', value: true }],
        order: { field: Webhook.createdField, descending: false },
        limit: Number.MAX_SAFE_INTEGER,
      })
      for (const { WebhookID } of records) hooks.push({ workspace, id: WebhookID })
    }
    return hooks
  }

  function open(workspace: Workspace, id: string): void {
    const name = `${workspace.number} ${id}`
    if (channels.has(name)) return
    const channel = createChannel(service, workspace, id, { graceful: graceful.signal, immediate: immediate.signal }, onDelivery)
    const running = repeat(async () => (isLeased() ? channel.round() : undefined)).finally(() => channels.delete(name))
    channels.set(name, running)
  }

  /** Repeats work at the time it resolves to, or as soon as the store has changed, until it resolves to undefined. */
  async function repeat(work: () => Promise<number | undefined>): Promise<void> {
    while (!graceful.signal.aborted) {
      let next: number | undefined
      const seen = wakeUps
      try {
        next = await work()
      } catch (error) {
        onError(error)
        next = Date.now() + RETRY_MS
      }
      if (next === undefined) return
      // The work may have missed what changed while it ran.
      if (wakeUps !== seen) await sleepUntil(0)
      else if (next > Date.now()) await sleepUntil(next)
    }
  }

  function sleepUntil(moment: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.max(0, Math.min(moment - Date.now(), LONGEST_SLEEP_MS)))
      wakers.add(done)
      if (moment === 0 || graceful.signal.aborted) done()
      function done() {
        clearTimeout(timer)
        wakers.delete(done)
        if (graceful.signal.aborted) resolve()
        else setTimeout(resolve, DEBOUNCE_MS)
      }
    })
  }

  function wakeAll(): void {
    wakeUps++
    for (const wake of [...wakers]) wake()
  }
}
