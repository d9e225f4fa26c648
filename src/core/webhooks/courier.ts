import { randomUUID } from 'node:crypto'
import { Webhook } from '../../contract/records/webhook.ts'
import type { Workspace } from '../../platforms/store.ts'
import type { Service } from '../service.ts'
import { createChannel, type Tell } from './channel.ts'

const LEASE = 'webhooks'
const LEASE_MS = 10_000
const RENEW_MS = 3_000
/** Events that come in quick succession are delivered together. */
const GATHER_MS = 25
/** How long to leave a store alone that cannot answer. */
const TROUBLE_MS = 1_000
/** How long a delivery under way may take once the courier is told to stop. */
const GRACE_MS = 2_000
/** The longest sleep; timers do not reach further than some weeks. */
const LONGEST_MS = 60_000

export interface Courier {
  stop(): Promise<void>
}

/** Delivers the events of all webhooks of the store. Of several processes on one store only one does, and another takes over when it is gone. */
export function startCourier(service: Service, tell: Tell, trouble: (error: unknown) => void): Courier {
  const { store } = service
  const holder = randomUUID()
  const ending = new AbortController()
  const cut = new AbortController()
  const channels = new Map<string, Promise<void>>()
  const wakers = new Set<() => void>()
  let stirs = 0
  let leasedUntil = 0
  const unwatch = store.watch(wakeAll)
  const managing = repeat(manage)

  return {
    async stop() {
      unwatch()
      ending.abort()
      wakeAll()
      const timer = setTimeout(() => cut.abort(), GRACE_MS)
      await Promise.all([managing, ...channels.values()])
      clearTimeout(timer)
      if (leasedUntil > 0) await store.lease(LEASE, holder, 0).catch(trouble)
    },
  }

  /** Finds out which webhooks there are, and keeps the lease as long as there are any. */
  async function manage(): Promise<number> {
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
      const { records } = await store.reader(workspace.number).find(Webhook.name, {
        where: [{ field: 'Active', family: 'boolean', operator: 'eq', value: true }],
        order: { field: Webhook.createdField, descending: false },
        limit: Number.MAX_SAFE_INTEGER,
      })
      for (const { WebhookID } of records) hooks.push({ workspace, id: WebhookID as string })
    }
    return hooks
  }

  function open(workspace: Workspace, id: string): void {
    const name = `${workspace.number} ${id}`
    if (channels.has(name)) return
    const channel = createChannel(service, workspace, id, { soon: ending.signal, now: cut.signal }, tell)
    const running = repeat(async () => (isLeased() ? channel.round() : undefined)).finally(() => channels.delete(name))
    channels.set(name, running)
  }

  /** Does something over and over, at the moment it asks for or when something has changed, until it asks for no further one. */
  async function repeat(work: () => Promise<number | undefined>): Promise<void> {
    while (!ending.signal.aborted) {
      let next: number | undefined
      const seen = stirs
      try {
        next = await work()
      } catch (error) {
        trouble(error)
        next = Date.now() + TROUBLE_MS
      }
      if (next === undefined) return
      // What has changed while the work was under way may have been missed by it.
      if (stirs !== seen) await sleepUntil(0)
      else if (next > Date.now()) await sleepUntil(next)
    }
  }

  function sleepUntil(moment: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.max(0, Math.min(moment - Date.now(), LONGEST_MS)))
      wakers.add(done)
      if (moment === 0 || ending.signal.aborted) done()
      function done() {
        clearTimeout(timer)
        wakers.delete(done)
        if (ending.signal.aborted) resolve()
        else setTimeout(resolve, GATHER_MS)
      }
    })
  }

  function wakeAll(): void {
    stirs++
    for (const wake of [...wakers]) wake()
  }
}
