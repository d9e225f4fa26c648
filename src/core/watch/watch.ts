import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import { FIRST_WORKSPACE } from '../../contract/records/workspace.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import { isServed } from '../access/served.ts'
import { type Binding, cachedBinding } from '../binding.ts'
import { acquireUnserved } from '../call/acquire-binding.ts'
import { listeningToRequests, listeningToRetries } from '../call/retry.ts'
import { readConnection } from '../connections/in-use.ts'
import type { Service, WatchSettings } from '../service.ts'
import { Allowance } from './allowance.ts'
import { type Budgeted, budgeted } from './budget.ts'
import { eraseLeftMirror, leftMirrors } from './left.ts'
import { pollOnce } from './poll.ts'
import { completeSince, readPosition } from './positions.ts'
import { Pushes } from './push.ts'
import { type Repairs, readRepairs } from './repairs.ts'
import { accountOf } from './source.ts'
import { exhaustion, type Report, recallLeft, reportStatus, type WatchFailure } from './status.ts'
import { Ended, UNEXPECTED } from './type-failure.ts'
import { firstFailure, type Verified } from './verify.ts'
import { verifyNightly } from './verify-nightly.ts'
import { type Watched, watchedIn } from './watched.ts'
import { unlessAborted } from './within.ts'

const LEASE = 'watch'
const LEASE_MS = 10_000
const RENEW_MS = 3_000

/** The shortest and the longest time between two turns. In between, the loop wakes when something is due, or was changed in the store. */
const TURN_MS = 1_000
const IDLE_MS = 60_000

/** When an account is polled again that did not answer. */
const AGAIN_MS = 10_000

/** For how long a request fails before that is reported, although it is made again. */
const RETRIED_MS = 2_000

/** How often the requests of a poll that takes long are reported, and after how many of them: those that a killed process has not reported are not counted. */
const REPORT_MS = 10_000
const REPORT_REQUESTS = 10

const NEVER = new AbortController().signal

export interface Watch {
  /** The requests that this process has sent to watch each workspace, by its name. */
  spent(): ReadonlyMap<string, number>
  /** How many it may send in a day. */
  budgets(): ReadonlyMap<string, number>
  /** Of which of them it has used up the requests. */
  exhausted(): ReadonlySet<string>
  /** For how many seconds the mirrors that it keeps up have no changes of their CRMs. */
  ages(): Promise<ReadonlyMap<string, number>>
  /** What was repaired so far in the mirrors of the workspaces that this process watches, by whichever process. */
  repaired(): readonly Repaired[]
  stop(): Promise<void>
}

export interface Repaired {
  readonly workspace: string
  readonly type: string
  readonly records: number
}

/** Follows the accounts of all workspaces, one poll each in an interval. A lease makes one of several processes do it; another takes over when the lease expires. */
export function startWatch(service: Service, settings: WatchSettings, onError: (error: unknown) => void): Watch {
  const { store } = service
  const holder = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  /** Aborted when something has changed. */
  let resting = new AbortController()
  const unwatch = store.watch(() => resting.abort())
  let isLeased = false
  let renewedAt = 0
  /** By the time of the process, which is not set. */
  const dueAt = new Map<number, number>()
  const names = new Map<number, string>()
  const allowances = new Map<number, Allowance>()
  const budgets = new Map<number, Budgeted>()
  const running = new Map<number, Running>()
  /** The platform that each workspace was bound to when its account was last polled. */
  const bound = new Map<number, Platform | undefined>()
  const reportedAt = new Map<number, number>()
  const failures = new Map<number, ErrorCode | undefined>()
  const retries = new Map<number, Retrying>()
  const exhausted = new Map<number, number | undefined>()
  const repairs = new Map<number, Repairs>()
  const pushes = new Pushes(service)
  const nameOf = (number: number) => names.get(number) ?? String(number)
  const working = repeat()

  return {
    spent: () => new Map([...allowances].map(([number, { spent }]) => [nameOf(number), spent])),
    budgets: () => new Map([...budgets].map(([number, { requestsPerDay }]) => [nameOf(number), requestsPerDay])),
    exhausted: () => new Set([...allowances].flatMap(([number, { exhaustedSince }]) => (exhaustedSince === undefined ? [] : [nameOf(number)]))),
    async ages() {
      const ages = new Map<string, number>()
      for (const number of isLeased ? allowances.keys() : []) {
        // Where the store does not answer, the other metrics are there all the same.
        const since = completeSince(await readPosition(store.journal(number)).catch(() => undefined))
        if (since !== undefined) ages.set(nameOf(number), Math.max(0, service.now().getTime() - since) / 1000)
      }
      return ages
    },
    repaired: () => [...repairs].flatMap(([number, types]) => Object.entries(types).map(([type, records]) => ({ workspace: nameOf(number), type, records }))),
    async stop() {
      stopping.abort()
      unwatch()
      resting.abort()
      abortPolls()
      await Promise.all([working, ...[...running.values()].map(({ ended }) => ended)])
      if (isLeased) await store.lease(LEASE, holder, 0).catch(onError)
    },
  }

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      resting = new AbortController()
      const restMs = await turn().catch((error: unknown) => {
        onError(error)
        return 0
      })
      await sleep(TURN_MS, undefined, { signal }).catch(() => {})
      if (restMs > TURN_MS) await sleep(restMs - TURN_MS, undefined, { signal: resting.signal }).catch(() => {})
    }
  }

  /** Resolves to how long there is nothing to do, unless something is changed. */
  async function turn(): Promise<number> {
    const [numbers, left] = [await watchedNumbers(service), await leftMirrors(store)]
    // Where there is nothing to do, an idle store is not written to.
    if (numbers.size + left.length === 0) return running.size > 0 ? 0 : IDLE_MS
    if (!(await holdsLease())) return 0
    for (const [number, { ending, isErasure }] of [...running]) if (!isErasure && (await isOver(number))) ending.abort()
    for (const number of left) if (!running.has(number)) start(number, (ending) => eraseLeftMirror(store, number, ending), true)
    for (const number of numbers) {
      if (await pushes.came(number)) dueAt.set(number, 0)
      if (running.has(number)) await reportInTime(number)
      else if (isDue(number) || (await isSwitched(number))) {
        dueAt.set(number, performance.now() + settings.intervalMs)
        start(number, (ending) => poll(number, ending))
      }
    }
    if (running.size > 0) return 0
    return Math.min(RENEW_MS, renewedAt + RENEW_MS - Date.now(), ...[...numbers].map((number) => (dueAt.get(number) ?? 0) - performance.now()))
  }

  function isDue(number: number): boolean {
    return (dueAt.get(number) ?? 0) <= performance.now()
  }

  /** Whether a poll is for nothing: the workspace uses another account by now, or has it watched no more. */
  async function isOver(number: number): Promise<boolean> {
    if (await isSwitched(number)) return true
    const workspace = await store.workspace(number)
    return workspace !== undefined && bound.has(number) && !cachedBinding(service, workspace).isWatchable
  }

  /** Whether a workspace uses another account than the one that was last polled. */
  async function isSwitched(number: number): Promise<boolean> {
    const workspace = await store.workspace(number)
    if (!workspace || !bound.has(number)) return false
    // Not waited for: what it is connected to may have to be opened. The next turn knows.
    readConnection(service, workspace)?.catch(() => {})
    return accountIn(cachedBinding(service, workspace)) !== bound.get(number)
  }

  function start(number: number, work: (ending: AbortSignal) => Promise<void>, isErasure = false): void {
    const ending = new AbortController()
    const ended = work(ending.signal)
      .catch(onError)
      .finally(() => running.delete(number))
    running.set(number, { ending, ended, isErasure })
  }

  function abortPolls(): void {
    for (const { ending } of running.values()) ending.abort()
  }

  async function holdsLease(): Promise<boolean> {
    if (isLeased && Math.abs(Date.now() - renewedAt) < RENEW_MS) return true
    renewedAt = Date.now()
    isLeased = await store.lease(LEASE, holder, LEASE_MS)
    if (isLeased) return true
    abortPolls()
    for (const allowance of allowances.values()) allowance.forget()
    // Two processes would count them twice.
    repairs.clear()
    return false
  }

  /** One poll in a workspace, and its report. A failure that lasts is logged once. */
  async function poll(number: number, ending: AbortSignal): Promise<void> {
    // Read before the first request is counted, since a name stays the same.
    if (!names.has(number)) names.set(number, (await store.workspace(number))?.name ?? String(number))
    const allowance = allowances.get(number) ?? new Allowance(settings.requestsPerDay, (account) => recallLeft(store.journal(number), account))
    allowances.set(number, allowance)
    reportedAt.set(number, Date.now())
    let failure: WatchFailure | null = null
    const take = (platform: Platform) => {
      const budget = budgeted(settings, platform.quota?.())
      budgets.set(number, budget)
      allowance.limitTo(budget.requestsPerDay)
      return allowance.take(ending, accountOf(platform))
    }
    const how: HowToWatch = {
      signal: ending,
      take,
      onSent: () => allowance.noteSent(),
      isDue: () => isDue(number),
      onBound: (binding) => bound.set(number, accountIn(binding)),
    }
    try {
      const verified = await watchWorkspace(service, number, ending, { ...how, onRetry: (error) => noteRetry(number, error) })
      if (!verified) return
      if (!ending.aborted) repairs.set(number, await readRepairs(store.journal(number)))
      if (!ending.aborted) await withWatched(service, number, (watched) => pushes.subscribe(watched), how)
    } catch (error) {
      failure = failureOf(service, error)
      if (!ending.aborted && failures.get(number) !== failure.code) onError(error)
    } finally {
      retries.delete(number)
    }
    if (ending.aborted) return report(number)
    if (failure?.code === 'platform_unavailable') dueAt.set(number, performance.now() + Math.min(AGAIN_MS, settings.intervalMs))
    failures.set(number, failure?.code)
    await report(number, { failure, isPolled: failure === null })
  }

  function noteRetry(number: number, error: unknown): void {
    const known = retries.get(number)
    if (error !== undefined || known?.isReported) retries.set(number, { since: Date.now(), ...known, error })
    else retries.delete(number)
  }

  /**
   * The requests of a poll that takes long are reported while it goes on, and so is a request that fails again and again or is not answered, once, that it was answered after
   * all, and that no further ones may be sent.
   */
  async function reportInTime(number: number): Promise<void> {
    const retrying = retries.get(number)
    if (retrying && retrying.error === undefined) {
      retries.delete(number)
      return report(number, { failure: null })
    }
    if (retrying && !retrying.isReported && retrying.since + RETRIED_MS <= Date.now()) {
      retrying.isReported = true
      return report(number, { failure: failureOf(service, retrying.error) })
    }
    const allowance = allowances.get(number)
    const isNews = allowance?.exhaustedSince !== exhausted.get(number) || (allowance?.unreported ?? 0) >= REPORT_REQUESTS
    if (isNews || (reportedAt.get(number) ?? 0) + REPORT_MS <= Date.now()) await report(number)
  }

  async function report(number: number, given: Pick<Report, 'failure' | 'isPolled'> = {}): Promise<void> {
    const allowance = allowances.get(number)
    const since = allowance?.exhaustedSince
    reportedAt.set(number, Date.now())
    const budget = budgets.get(number) ?? settings
    if (since !== undefined && exhausted.get(number) === undefined) onError(exhaustedError(budget))
    exhausted.set(number, since)
    const exhaustedDate = since === undefined ? null : new Date(since).toISOString()
    await reportStatus(store, number, budget, { ...given, requests: allowance?.takeUnreported() ?? 0, exhausted: exhaustedDate, bucket: allowance?.left })
  }
}

/** The account that a workspace is bound to, opened or not; undefined where that is the store. */
const accountIn = (binding: Binding): Platform | undefined => (binding.isStore ? undefined : binding.platformForNames)

/** A poll, or the erasure of a mirror, that is under way. */
interface Running {
  readonly ending: AbortController
  readonly ended: Promise<void>
  /** Whatever the workspace uses meanwhile, what it has left is erased. */
  readonly isErasure: boolean
}

/** An attempt that takes long, or has failed and is made again; without an error once it was answered. */
interface Retrying {
  readonly since: number
  readonly error: unknown
  isReported?: boolean
}

function exhaustedError(budget: Budgeted): CrmError {
  const { message, hint } = exhaustion(budget)
  return new CrmError('rate_limited', message, { ...(hint !== null && { hint }) })
}

function failureOf(service: Service, error: unknown): WatchFailure {
  const at = service.now().toISOString()
  const known = error instanceof CrmError ? error : service.store.classify(error)
  if (known) return { code: known.code, message: known.message, hint: known.hint ?? null, at }
  return { ...UNEXPECTED, at }
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

/** One poll in a workspace, and what of its verification there is time for. Resolves to what was verified, once that is everything; undefined where there is no account that is watched. */
export function watchWorkspace(service: Service, number: number, signal: AbortSignal, how: HowToWatch = {}): Promise<readonly Verified[] | undefined> {
  return withWatched(
    service,
    number,
    async (watched) => {
      const failure = await pollOnce(watched, signal)
      const verified = signal.aborted ? [] : await verifyNightly(watched, signal, how.isDue)
      const failed = failure ?? firstFailure(verified)
      if (failed) throw failed
      return verified
    },
    { signal, ...how },
  )
}

export interface HowToWatch {
  /** Resolves once a request may be sent. */
  readonly take?: (platform: Platform) => Promise<void>
  /** Called with each request that is sent. */
  readonly onSent?: () => void
  /** Whether the next poll is due, so that verifying the mirror goes on after it. */
  readonly isDue?: () => boolean
  /** Ends the waiting for answers. */
  readonly signal?: AbortSignal
  /** Set where a workspace that is paused counts as well. */
  readonly isPausedToo?: boolean
  /** Called with why a request has failed that is sent again, or may fail since it takes long, and with undefined once one has not. */
  readonly onRetry?: ((error: CrmError | undefined) => void) | undefined
  /** Called with what the workspace is bound to. */
  readonly onBound?: (binding: Binding) => void
}

/** Does something with the account of a workspace; undefined where it has none that is watched. Errors of the CRM are thrown as CrmError. */
export async function withWatched<T>(
  service: Service,
  number: number,
  work: (watched: Watched) => Promise<T>,
  { take = async () => {}, onSent = () => {}, signal = NEVER, isPausedToo = false, onRetry = () => {}, onBound = () => {} }: HowToWatch = {},
): Promise<T | undefined> {
  const workspace = await service.store.workspace(number)
  if (!workspace || !(isServed(workspace) || (isPausedToo && workspace.state === 'paused'))) return undefined
  const binding = await acquireUnserved(service, workspace)
  const asCrmError = (error: unknown): CrmError | undefined => {
    if (error instanceof CrmError) return error
    const failure = binding.platformForNames.classify(error)
    return failure && new CrmError(failure.code, failure.message, { cause: error, ...(failure.hint !== undefined && { hint: failure.hint }) })
  }
  try {
    onBound(binding)
    if (!binding.isWatchable) return undefined
    const { platform } = binding
    const watched = watchedIn(service, workspace, platform, async (read) => {
      await take(platform)
      const found = await unlessAborted(signal, read())
      // What was read since is left to the poll after it is watched again.
      if (await isUnwatched(service, workspace)) throw new Unwatched()
      return found
    })
    // One that could not be opened yet says why.
    if (!watched) await platform.ping()
    return (
      watched &&
      (await listeningToRequests(onSent, () =>
        listeningToRetries(
          (error) => onRetry(asCrmError(error)),
          () => work(watched),
        ),
      ))
    )
  } catch (error) {
    if (error instanceof Unwatched) return undefined
    throw asCrmError(error) ?? error
  } finally {
    binding.release()
  }
}

/** Ends a poll of an account that was told meanwhile not to be watched. */
class Unwatched extends Ended {}

async function isUnwatched(service: Service, workspace: Workspace): Promise<boolean> {
  await readConnection(service, workspace)?.catch(() => {})
  return !cachedBinding(service, workspace).isWatchable
}
