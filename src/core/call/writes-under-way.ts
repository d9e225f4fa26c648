import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../platforms/store.ts'

/** How long a write is waited for at most: its CRM may be silent. */
const LONGEST_MS = 5_000

const underWay = new WeakMap<Store, Map<number, Set<Promise<unknown>>>>()

/** Runs a write to the account of a workspace. It is under way until it is recorded. */
export async function whileUnderWay<T>(store: Store, workspace: number, write: () => Promise<T>): Promise<T> {
  const workspaces = underWay.get(store) ?? new Map<number, Set<Promise<unknown>>>()
  underWay.set(store, workspaces)
  const writes = workspaces.get(workspace) ?? new Set()
  workspaces.set(workspace, writes)
  const running = write()
  writes.add(running)
  try {
    return await running
  } finally {
    writes.delete(running)
    if (writes.size === 0) workspaces.delete(workspace)
  }
}

/** Resolves once the writes of this process that are under way have ended: a record that is new in the account may be of one of them. */
export async function writesEnded(store: Store, workspace: number): Promise<void> {
  const writes = underWay.get(store)?.get(workspace)
  if (!writes) return
  const timeout = new AbortController()
  await Promise.race([Promise.allSettled(writes), sleep(LONGEST_MS, undefined, { signal: timeout.signal, ref: false }).catch(() => {})])
  timeout.abort()
}
