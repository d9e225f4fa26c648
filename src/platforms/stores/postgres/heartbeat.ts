import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { workspacesIn } from '../sql/workspaces.ts'
import type { Address } from './address.ts'
import { CHANNEL, createListener } from './listener.ts'
import type { Hosts, Pool } from './pool.ts'
import { foldDeltas } from './rollups.ts'

/** How often every process polls, whether it was notified or not. */
const POLL_MS = 250
/** Cached users and keys are stale once the last successful poll is older than this. */
const FRESH_MS = 800
/** Notifications in quick succession are sent as one. */
const NOTIFY_MS = 5
/** The lease of the process that numbers the changes, how long it lasts, and how often each process tries to get or renew it. */
const LEASE = 'sequencer'
const LEASE_MS = 3_000
const RENEW_MS = 1_000
/** The pause between two rounds of numbering of a workspace: many changes at a time cost hardly more than one. */
const PACE_MS = 15
/** How often deltas are folded into the counters, and at the latest, however long that takes. */
const FOLD_MS = 500
const FOLD_AT_LEAST_MS = 3_000

const UNNUMBERED = workspacesIn('Change', ' AND "Number" IS NULL')
const UNFOLDED = workspacesIn('RollupDelta')

type Listener = (workspace: number | undefined) => void

export type Lease = (name: string, holder: string, ms: number) => Promise<boolean>

interface Parts {
  readonly address: Address
  readonly hosts: Hosts
  readonly pool: Pool
  /** Connections for background work, so that calls never wait for it. */
  readonly background: Pool
  readonly sequence: (workspace: number) => Promise<void>
  /** How many workspaces are numbered at the same time. */
  readonly atOnce: number
  readonly lease: Lease
}

/** The background work of a process: it notices what other processes commit, and the one that holds the lease numbers changes and folds counters. */
export async function startHeartbeat({ address, hosts, pool, background, sequence, atOnce, lease }: Parts) {
  const holder = randomUUID()
  const listeners = new Set<Listener>()
  const messages = new Set<string>()
  /** Workspaces with changes that may have no number yet, in the order in which they get their turn. */
  const unnumbered = new Set<number>()
  const numbering = new Map<number, Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  let versions = await readVersions()
  let polledAt = performance.now()
  let uncertain = 0
  let leads = false
  let sending: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined
  let pollAgain = false
  const ending = new AbortController()
  const { signal: ended } = ending
  const listener = createListener(hosts, address.connectMs, received)

  /** How often users and keys have changed, and how often changes were numbered. */
  async function readVersions(): Promise<{ readonly access: number; readonly changes: number }> {
    const { rows } = await pool.query('SELECT "Name", "Version" FROM "Pulse"')
    const [access, changes] = ['access', 'changes'].map((name) => Number(rows.find(([is]) => is === name)?.[1]))
    return { access: access ?? 0, changes: changes ?? 0 }
  }

  /** Polls now. A request made during a poll leads to another one after it, since the first may have read too early. */
  function poll(): void {
    if (ended.aborted) return
    if (polling) {
      pollAgain = true
      return
    }
    const at = performance.now()
    polling = readVersions()
      .then((found) => {
        if (found.changes !== versions.changes) notifyListeners(undefined)
        versions = found
        polledAt = pollAgain ? 0 : at
      })
      // If polling fails, cached access data is treated as stale and re-read on the next call.
      .catch(() => {})
      .finally(() => {
        polling = undefined
        if (!pollAgain) return
        pollAgain = false
        poll()
      })
  }

  function received(message: string): void {
    const [kind, workspace] = message.split(' ')
    if (kind === 'written') needsNumbers(Number(workspace))
    else if (kind === 'numbered') notifyListeners(Number(workspace) || undefined)
    else {
      // What is cached is stale until the poll has ended: a listener that is notified at the same time must not use it.
      polledAt = 0
      poll()
    }
  }

  /** The workspaces with numbered changes that listeners are yet to hear of; undefined stands for any. */
  let changed = new Set<number | undefined>()
  function notifyListeners(workspace: number | undefined): void {
    if (listeners.size === 0) return
    const scheduled = changed.size > 0
    changed.add(workspace)
    if (scheduled) return
    setImmediate(() => {
      const workspaces = changed.has(undefined) ? [undefined] : [...changed]
      changed = new Set()
      for (const one of workspaces) for (const notify of listeners) notify(one)
    })
  }

  /** Notifies the other processes, soon. */
  function send(message: string): void {
    messages.add(message)
    sending ??= setTimeout(() => {
      const all = [...messages]
      messages.clear()
      sending = undefined
      if (!ended.aborted) pool.query(`SELECT pg_notify('${CHANNEL}', w) FROM unnest(CAST(? AS TEXT[])) AS w`, [all]).catch(() => {})
    }, NOTIFY_MS).unref()
  }

  function needsNumbers(workspace: number): void {
    unnumbered.add(workspace)
    numberNext()
  }

  /** Numbers the waiting workspaces, several at a time and each once at a time, so that a slow one holds up no other. */
  function numberNext(): void {
    for (const workspace of unnumbered) {
      if (!leads || ended.aborted || numbering.size >= atOnce) return
      if (!numbering.has(workspace)) numbering.set(workspace, numberOne(workspace))
    }
  }

  async function numberOne(workspace: number): Promise<void> {
    unnumbered.delete(workspace)
    const failed = await sequence(workspace).then(
      () => false,
      () => true,
    )
    if (failed) unnumbered.add(workspace)
    await pause(failed ? RENEW_MS : PACE_MS, undefined, { signal: ended }).catch(() => {})
    numbering.delete(workspace)
    numberNext()
  }

  async function renew(): Promise<void> {
    const led = leads
    leads = await lease(LEASE, holder, LEASE_MS).catch(() => false)
    if (leads && !led) send('')
    numberNext()
  }

  const workspacesOf = async (sql: string) => (await background.query(sql)).rows.map(([number]) => number as number)

  /** Catches up with what was written without a notification. Folding concerns one workspace at a time, so that a long list of them holds up nothing. */
  async function catchUp(): Promise<number> {
    if (!leads) return FOLD_MS
    const began = performance.now()
    for (const workspace of await workspacesOf(UNNUMBERED)) needsNumbers(workspace)
    for (const workspace of await workspacesOf(UNFOLDED)) while (!ended.aborted && leads && (await foldDeltas(background, workspace)) > 0);
    return Math.min(FOLD_AT_LEAST_MS, Math.max(FOLD_MS, 10 * (performance.now() - began)))
  }

  /** Repeats something for as long as the store is open, also when it fails. The next run begins after the last has ended, so that runs never pile up. */
  function repeat(run: () => Promise<number>, firstMs: number): void {
    const timer = setTimeout(async () => {
      timers.delete(timer)
      const nextMs = await run().catch(() => RENEW_MS)
      if (!ended.aborted) repeat(run, nextMs)
    }, firstMs).unref()
    timers.add(timer)
  }

  repeat(async () => {
    poll()
    await polling
    return POLL_MS
  }, POLL_MS)
  repeat(async () => {
    await renew()
    return RENEW_MS
  }, 0)
  repeat(catchUp, FOLD_MS)

  return {
    /** Changes whenever a user or key may have. Without a recent poll that may be any time, so that it is another number for each call. */
    accessVersion(): number {
      if (performance.now() - polledAt <= FRESH_MS) return versions.access
      poll()
      return --uncertain
    },

    /** Called after a commit of this process. */
    committed(
      workspace: number,
      { access, changes, notified }: { readonly access: boolean; readonly changes: boolean; readonly notified?: Iterable<number> },
    ): void {
      if (access) {
        polledAt = 0
        send('access')
        poll()
      }
      for (const other of notified ?? []) {
        notifyListeners(other)
        send(`numbered ${other}`)
      }
      if (!changes) return
      needsNumbers(workspace)
      if (!leads) send(`written ${workspace}`)
    },

    /** Called after this process has numbered changes. */
    numbered(workspace: number): void {
      notifyListeners(workspace)
      send(`numbered ${workspace}`)
    },

    watch(notify: Listener): () => void {
      listeners.add(notify)
      return () => listeners.delete(notify)
    },

    async end(): Promise<void> {
      ending.abort()
      for (const timer of timers) clearTimeout(timer)
      clearTimeout(sending)
      await Promise.all([listener.end(), ...numbering.values(), polling])
      if (leads) await lease(LEASE, holder, 0).catch(() => false)
    },
  }
}
