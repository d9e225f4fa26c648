import { IdleCache } from '../../helpers/idle-cache.ts'
import type { Store } from '../../platforms/store.ts'
import { type Position, readPosition } from './positions.ts'
import { readStatus, type WatchStatus } from './status.ts'

/** For how long a process takes what it knows of a mirror for its present state. What a mirror loses is taken from it only later. */
export const KNOWN_MS = 500

export interface KnownMirror {
  readonly position: Position | undefined
  readonly status: WatchStatus | undefined
}

interface Cached {
  readonly until: number
  readonly mirror: KnownMirror | Promise<KnownMirror>
}

const cache = new WeakMap<Store, IdleCache<number, Cached>>()

/** How far the mirror of a workspace has come, as it was a moment ago at most. */
export function knownMirror(store: Store, workspace: number): KnownMirror | Promise<KnownMirror> {
  const workspaces = cache.get(store) ?? new IdleCache<number, Cached>()
  cache.set(store, workspaces)
  const now = performance.now()
  const cached = workspaces.get(workspace)
  if (cached && now < cached.until) return cached.mirror
  const until = now + KNOWN_MS
  const reading = readMirror(store, workspace)
  workspaces.set(workspace, { until, mirror: reading })
  reading.then(
    (mirror) => workspaces.set(workspace, { until, mirror }),
    () => workspaces.delete(workspace),
  )
  return reading
}

async function readMirror(store: Store, workspace: number): Promise<KnownMirror> {
  const journal = store.journal(workspace)
  return { position: await readPosition(journal), status: await readStatus(journal) }
}
