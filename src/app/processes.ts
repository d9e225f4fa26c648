import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import { CrmError } from '../contract/errors.ts'
import { shareMetrics } from './process-metrics.ts'
import { stopSignal } from './stop-signal.ts'
import { sqlitePath } from './store-address.ts'

/** More processes than this would mostly compete for the database. */
const MOST = 8

/** How long to wait before a process that has ended is replaced; doubled while the new ones end at once, too. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000

/** In how many processes the service runs. A store in a file has one writer at a time, which several processes would only make wait. */
export function processCount({ processes, store }: Config): number {
  const path = sqlitePath(store)
  if (path === ':memory:' && processes !== 'auto' && processes > 1)
    throw new CrmError('invalid_input', 'Processes cannot share a store in memory.', {
      hint: 'Name a store in a file or a database, or leave CRM_PROCESSES out.',
    })
  if (processes !== 'auto') return processes
  const cores = availableParallelism()
  return cores > 2 && path === undefined ? Math.min(cores, MOST) : 1
}

/**
 * Runs the service in processes that share one listener, until a signal stops it. One that ends by itself is replaced. SIGHUP replaces one
 * after the other, each once its successor listens, so that no call is refused meanwhile.
 */
export async function superviseProcesses(count: number, log: Logger): Promise<void> {
  /** Those that have been told to end. */
  const leaving = new Set<Worker>()
  let pauseMs = FIRST_PAUSE_MS
  let stopping = false
  const stopped = stopSignal().then(() => {
    stopping = true
  })
  shareMetrics()
  // Processes accept connections themselves: one that was handed to a process that has just died would never be answered.
  cluster.schedulingPolicy = cluster.SCHED_NONE

  async function stop(worker: Worker): Promise<void> {
    leaving.add(worker)
    const ended = once(worker, 'exit')
    worker.process.kill('SIGTERM')
    await ended
  }

  async function replace(): Promise<void> {
    if (stopping) return
    if (await listening(cluster.fork())) pauseMs = FIRST_PAUSE_MS
    else pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }

  async function restart(): Promise<void> {
    for (const worker of workers()) {
      if (stopping) return
      if (!(await listening(cluster.fork()))) return log.error('a new process could not start: the others go on as they are')
      await stop(worker)
    }
    log.info('restarted')
  }

  // The first makes a new store and its first key, which the others find.
  const first = cluster.fork()
  if (!(await listening(first))) {
    process.exitCode = first.process.exitCode || 1
    return
  }
  cluster.on('exit', (worker, code, signal) => {
    if (leaving.delete(worker) || stopping) return
    log.error({ process: worker.process.pid, code, signal }, 'a process has ended by itself and is replaced')
    setTimeout(() => void replace(), pauseMs)
  })
  let restarting = Promise.resolve()
  process.on('SIGHUP', () => {
    restarting = restarting.then(restart)
  })
  for (let i = 1; i < count; i++) await listening(cluster.fork())

  await stopped
  await Promise.all(workers().map(stop))
}

const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

/** Whether a process came to listen; false when it ended first. */
function listening(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    worker.once('listening', () => resolve(true))
    worker.once('exit', () => resolve(false))
  })
}
