import { randomUUID } from 'node:crypto'
import { Webhook } from '../../contract/records/webhook.ts'
import type { Workspace } from '../../platforms/store.ts'
import { isServed } from '../access/served.ts'
import { findRecords } from '../call/records.ts'
import { followTail } from '../journal/tail.ts'
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
  const channels = new Map<string, Open>()
  const manager = createAlarm()
  const alarms = new Set([manager])
  /** The active webhooks of each workspace, by its number. */
  const hooks = new Map<number, readonly Hook[]>()
  /** The workspaces whose webhooks may have changed; undefined stands for all. */
  let stale = new Set<number | undefined>([undefined])
  let leasedUntil = 0
  const unwatch = store.watch((workspace) => {
    stale.add(workspace)
    manager.ring()
  })
  const managing = repeat(manager, openChannels)

  return {
    async stop() {
      unwatch()
      graceful.abort()
      for (const alarm of alarms) alarm.ring()
      const timer = setTimeout(() => immediate.abort(), GRACE_MS)
      await Promise.all([managing, ...[...channels.values()].map(({ running }) => running)])
      clearTimeout(timer)
      if (leasedUntil > 0) await store.lease(LEASE, holder, 0).catch(onError)
    },
  }

  /** Opens a channel for each active webhook, and renews the lease as long as there is one. */
  async function openChannels(): Promise<number> {
    await refreshHooks()
    const active = [...hooks.values()].flat()
    if (active.length > 0 && Date.now() > leasedUntil - LEASE_MS + RENEW_MS) {
      const until = Date.now() + LEASE_MS
      leasedUntil = (await store.lease(LEASE, holder, LEASE_MS)) ? until : 0
    }
    if (isLeased()) for (const hook of active) open(hook)
    return active.length > 0 ? Date.now() + RENEW_MS : Number.POSITIVE_INFINITY
  }

  function isLeased(): boolean {
    return Date.now() < leasedUntil
  }

  async function refreshHooks(): Promise<void> {
    const changed = stale
    stale = new Set()
    try {
      const numbers = changed.has(undefined) ? [...hooks.keys(), ...(await store.workspacesWith(Webhook.name))] : (changed as Set<number>)
      for (const number of new Set(numbers)) {
        const active = await activeHooks(number)
        if (active.length > 0) hooks.set(number, active)
        else hooks.delete(number)
        for (const channel of channels.values())
          if (channel.hook.workspace.number === number && !active.some(({ id }) => id === channel.hook.id)) channel.close()
      }
    } catch (error) {
      for (const workspace of changed) stale.add(workspace)
      throw error
    }
  }

  /** None while the workspace is paused. */
  async function activeHooks(number: number): Promise<Hook[]> {
    const workspace = await store.workspace(number)
    if (!workspace || !isServed(workspace)) return []
    const records = await findRecords(store.reader(workspace.number), Webhook, {
      where: [{ field: 'Active', family: 'boolean', operator: 'eq', value: true }],
      order: { field: Webhook.createdField, descending: false },
      limit: Number.MAX_SAFE_INTEGER,
    })
    return records.map(({ WebhookID }) => ({ workspace, id: WebhookID }))
  }

  function open(hook: Hook): void {
    const { workspace, id } = hook
    const name = `${workspace.number} ${id}`
    if (channels.has(name)) return
    const alarm = createAlarm()
    alarms.add(alarm)
    const follower = followTail(service, workspace, alarm.ring)
    let closed = false
    const isStopped = () => closed || graceful.signal.aborted
    const channel = createChannel(service, workspace, id, follower, { isStopped, immediate: immediate.signal }, onDelivery)
    const running = repeat(alarm, async () => (isLeased() && !closed ? channel.round() : undefined)).finally(() => {
      follower.end()
      alarms.delete(alarm)
      channels.delete(name)
    })
    const close = () => {
      closed = true
      alarm.ring()
    }
    channels.set(name, { hook, running, close })
  }

  /** Repeats work at the time it resolves to, or as soon as its alarm rings, until it resolves to undefined. */
  async function repeat(alarm: Alarm, work: () => Promise<number | undefined>): Promise<void> {
    while (!graceful.signal.aborted) {
      let next: number | undefined
      const rung = alarm.rung
      try {
        next = await work()
      } catch (error) {
        onError(error)
        next = Date.now() + RETRY_MS
      }
      if (next === undefined) return
      // The work may have missed what changed while it ran.
      if (alarm.rung !== rung) await sleepUntil(alarm, 0)
      else if (next > Date.now()) await sleepUntil(alarm, next)
    }
  }

  function sleepUntil(alarm: Alarm, moment: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.max(0, Math.min(moment - Date.now(), LONGEST_SLEEP_MS)))
      alarm.wake = done
      if (moment === 0 || graceful.signal.aborted) done()
      function done() {
        clearTimeout(timer)
        alarm.wake = () => {}
        if (graceful.signal.aborted) resolve()
        else setTimeout(resolve, DEBOUNCE_MS)
      }
    })
  }
}

interface Hook {
  readonly workspace: Workspace
  readonly id: string
}

interface Open {
  readonly hook: Hook
  readonly running: Promise<void>
  /** No further delivery begins. */
  close(): void
}

/** Wakes what sleeps, and counts how often it has rung. */
interface Alarm {
  rung: number
  wake: () => void
  ring(): void
}

function createAlarm(): Alarm {
  const alarm: Alarm = {
    rung: 0,
    wake: () => {},
    ring() {
      alarm.rung++
      alarm.wake()
    },
  }
  return alarm
}
