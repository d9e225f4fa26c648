import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../../contract/errors.ts'
import type { Budget } from '../../platforms/platform.ts'
import type { Store } from '../../platforms/store.ts'

/** How many leases the records of a workspace share, so that the store does not fill with one for each record. */
const SLOTS = 4096
/** A process that has crashed holds up other writers of the record for this long; one that stalls for longer than between two renewals loses the lock. */
const LEASE_MS = 15_000
const RENEW_MS = 3_000
/** How often a lease that another process has is asked for. */
const PAUSES = { firstMs: 5, longestMs: 200 }

interface Held {
  users: number
  readonly taken: Promise<void>
  release(): void
}

const heldBy = new WeakMap<Store, Map<string, Held>>()

/**
 * Locks a record of a CRM against the other processes of the store, so that none writes between another's look at the Revision and its write.
 * Resolves to what releases it. Calls of this process share the lease: the platform locks records among them itself.
 */
export async function lockRecord(store: Store, workspace: number, record: string, budget: Budget): Promise<() => void> {
  const locks = heldBy.get(store) ?? new Map<string, Held>()
  heldBy.set(store, locks)
  const slot = slotOf(workspace, record)
  const held = locks.get(slot) ?? take(store, slot, budget)
  locks.set(slot, held)
  held.users++
  const leave = () => {
    if (--held.users > 0) return
    locks.delete(slot)
    held.release()
  }
  try {
    await held.taken
  } catch (error) {
    leave()
    throw error
  }
  // The next call of this process that waits for the record goes on before the lease is given up.
  return () => void setImmediate(leave)
}

/** Whether a call of this process may be writing a record. */
export const isLocked = (store: Store, workspace: number, record: string): boolean => heldBy.get(store)?.has(slotOf(workspace, record)) ?? false

const slotOf = (workspace: number, record: string) => `record ${workspace} ${Number.parseInt(hash('sha256', record).slice(0, 8), 16) % SLOTS}`

function take(store: Store, slot: string, budget: Budget): Held {
  // Its own for each, so that giving up one lease never gives up the next.
  const holder = randomUUID()
  const ask = (ms: number) => store.lease(slot, holder, ms)
  let renewal: NodeJS.Timeout | undefined

  async function taken(): Promise<void> {
    for (let pause = PAUSES.firstMs; !(await ask(LEASE_MS)); pause = Math.min(2 * pause, PAUSES.longestMs)) {
      if (budget.isOver) throw new CrmError('platform_unavailable', 'Another process of this service is writing to the same record.', { retryAfter: 1 })
      await sleep(pause)
    }
    renewal = setInterval(() => void ask(LEASE_MS).catch(() => {}), RENEW_MS)
    renewal.unref()
  }

  return {
    users: 0,
    taken: taken(),
    release() {
      clearInterval(renewal)
      void ask(0).catch(() => {})
    },
  }
}
