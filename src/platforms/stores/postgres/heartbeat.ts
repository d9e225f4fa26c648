import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from './address.ts'
import { CHANNEL, createEar } from './listener.ts'
import type { Hosts, Pool } from './pool.ts'
import { foldDeltas } from './rollups.ts'

/** How often everybody looks, whatever they may have heard. */
const LOOK_MS = 250
/** Users and keys that were looked at longer ago than this are no longer relied upon. */
const TRUSTED_MS = 800
/** Of words that come in quick succession only one is passed on. */
const GATHER_MS = 5
/** Who numbers the changes, for how long, and how often the others ask whether they may. */
const LEASE = 'sequencer'
const LEASE_MS = 3_000
const RENEW_MS = 1_000
/** How long those who write are left alone between two rounds of numbering. */
const PACE_MS = 15
/** How often counters are brought up to date, and how often at least, however long that takes. */
const FOLD_MS = 500
const FOLD_AT_LEAST_MS = 3_000

const LEFT_OVER = `SELECT EXISTS (SELECT 1 FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL), EXISTS (SELECT 1 FROM "RollupDelta" WHERE "Workspace" = ?)`

export type Lease = (name: string, holder: string, ms: number) => Promise<boolean>

interface Parts {
  readonly address: Address
  readonly hosts: Hosts
  readonly pool: Pool
  /** For what may have to wait, so that calls do not. */
  readonly keeper: Pool
  readonly sequence: (workspace: number) => Promise<void>
  readonly lease: Lease
  readonly workspaces: () => Promise<readonly number[]>
}

/**
 * What a process does beside its calls: it notices what others have done, and one of them all numbers the changes and brings the
 * counters up to date.
 */
export async function startPulse({ address, hosts, pool, keeper, sequence, lease, workspaces }: Parts) {
  const holder = randomUUID()
  const listeners = new Set<() => void>()
  const words = new Set<string>()
  const dirty = new Set<number>()
  const timers = new Set<NodeJS.Timeout>()
  let versions = await look()
  let lookedAt = performance.now()
  let unsure = 0
  let leads = false
  let saying: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookAgain = false
  const ending = new AbortController()
  const { signal: ended } = ending
  let working: Promise<void> | undefined
  const ear = createEar(hosts, address.connectMs, heard)

  /** How often users and keys have changed, and how often changes were numbered. */
  async function look(): Promise<{ readonly access: number; readonly changes: number }> {
    const { rows } = await pool.query('SELECT "Name", "Version" FROM "Pulse"')
    const [access, changes] = ['access', 'changes'].map((name) => Number(rows.find(([is]) => is === name)?.[1]))
    return { access: access ?? 0, changes: changes ?? 0 }
  }

  /** Looks now; whoever asks while somebody looks already has it looked at once more. */
  function lookNow(): void {
    if (ended.aborted) return
    if (looking) {
      lookAgain = true
      return
    }
    const at = performance.now()
    looking = look()
      .then((found) => {
        if (found.changes !== versions.changes) tellListeners()
        versions = found
        lookedAt = lookAgain ? 0 : at
      })
      // Whoever cannot look trusts nothing, and says so to those who ask.
      .catch(() => {})
      .finally(() => {
        looking = undefined
        if (!lookAgain) return
        lookAgain = false
        lookNow()
      })
  }

  function heard(word: string): void {
    const [kind, workspace] = word.split(' ')
    if (kind === 'written') {
      dirty.add(Number(workspace))
      if (leads) work()
    } else if (kind === 'numbered') tellListeners()
    else lookNow()
  }

  let told = false
  function tellListeners(): void {
    if (told || listeners.size === 0) return
    told = true
    setImmediate(() => {
      told = false
      for (const listener of listeners) listener()
    })
  }

  /** Says something to the other processes, soon. */
  function say(word: string): void {
    words.add(word)
    saying ??= setTimeout(() => {
      const [all] = [[...words]]
      words.clear()
      saying = undefined
      if (!ended.aborted) pool.query(`SELECT pg_notify('${CHANNEL}', w) FROM unnest(CAST(? AS TEXT[])) AS w`, [all]).catch(() => {})
    }, GATHER_MS).unref()
  }

  /** Numbers what is waiting, where this is the process to do it. */
  function work(): void {
    working ??= numberAll().finally(() => {
      working = undefined
    })
  }

  async function numberAll(): Promise<void> {
    while (dirty.size > 0 && leads && !ended.aborted) {
      const some = [...dirty]
      dirty.clear()
      let failed = false
      for (const workspace of some) {
        await sequence(workspace).catch(() => {
          failed = true
          dirty.add(workspace)
        })
      }
      // Many at a time cost hardly more than one.
      await pause(failed ? RENEW_MS : PACE_MS, undefined, { signal: ended }).catch(() => {})
    }
  }

  async function renew(): Promise<void> {
    const led = leads
    leads = await lease(LEASE, holder, LEASE_MS).catch(() => false)
    if (leads && !led) say('')
  }

  /** Whatever may have been written unheard. No statement goes through more than one workspace, so that many of them take their time. */
  async function goThrough(): Promise<number> {
    if (!leads) return FOLD_MS
    const began = performance.now()
    for (const workspace of await workspaces()) {
      if (ended.aborted || !leads) break
      const [[unsealed, unfolded] = []] = (await keeper.query(LEFT_OVER, [workspace, workspace])).rows
      if (unsealed) await sequence(workspace)
      while (unfolded && !ended.aborted && (await foldDeltas(keeper, workspace)) > 0);
    }
    return Math.min(FOLD_AT_LEAST_MS, Math.max(FOLD_MS, 10 * (performance.now() - began)))
  }

  /** Does something again and again, also when it fails. */
  function repeat(again: () => Promise<number>, first: number): void {
    const timer = setTimeout(async () => {
      timers.delete(timer)
      const pause = await again().catch(() => RENEW_MS)
      if (!ended.aborted) repeat(again, pause)
    }, first).unref()
    timers.add(timer)
  }

  repeat(async () => {
    lookNow()
    await looking
    return LOOK_MS
  }, LOOK_MS)
  repeat(async () => {
    await renew()
    return RENEW_MS
  }, 0)
  repeat(goThrough, FOLD_MS)

  return {
    /** Changes whenever a user or key may have. */
    accessVersion(): number {
      if (performance.now() - lookedAt <= TRUSTED_MS) return versions.access
      lookNow()
      return --unsure
    },

    /** This process has committed something. */
    committed(workspace: number, { access, changes }: { readonly access: boolean; readonly changes: boolean }): void {
      if (access) {
        lookedAt = 0
        say('access')
        lookNow()
      }
      if (!changes) return
      dirty.add(workspace)
      if (leads) work()
      else say(`written ${workspace}`)
    },

    /** This process has numbered changes. */
    numbered(): void {
      tellListeners()
      say('numbered')
    },

    watch(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async end(): Promise<void> {
      ending.abort()
      for (const timer of timers) clearTimeout(timer)
      clearTimeout(saying)
      await Promise.all([ear.end(), working, looking])
      if (leads) await lease(LEASE, holder, 0).catch(() => false)
    },
  }
}
