import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CrmError } from '../../../contract/errors.ts'
import type { Budget } from '../../platform.ts'
import type { Parameter } from '../sql/dialect.ts'
import { createLongReads } from '../sql/long-reads.ts'

/** What a thread is started with. */
export interface ThreadData {
  readonly path: string
  /** The id of the job that has to end, shared with the thread. */
  readonly interrupts: Int32Array
}

export interface Job {
  readonly id: number
  readonly method: 'get' | 'all'
  readonly sql: string
  readonly bind: readonly Parameter[]
}

export interface Answer {
  readonly value?: unknown
  readonly error?: { readonly message: string; readonly errcode: number | undefined; readonly code: string | undefined }
  /** How long the statement took. */
  readonly ms: number
}

interface Thread {
  readonly worker: Worker
  readonly interrupts: Int32Array
  running: { readonly id: number; resolve(answer: Answer): void; reject(error: unknown): void } | undefined
}

export interface ReaderPool {
  /** Runs a statement in a thread. Rejects with the reason of the budget once that is over, and interrupts the statement. */
  run<T>(method: 'get' | 'all', sql: string, bind: readonly Parameter[], budget: Budget | undefined): Promise<{ readonly value: T; readonly ms: number }>
  close(): Promise<void>
}

/** One core is left to the event loop; more threads than this would only compete for the disk. */
const THREADS = Math.max(1, Math.min(8, availableParallelism() - 1))

/**
 * Threads with connections of their own, for reads that would hold up the event loop. They are started when first needed. Undefined where
 * the file of a thread is not found, as in a program that has bundled this code.
 */
export function createReaderPool(path: string, most = THREADS): ReaderPool | undefined {
  const file = threadFile()
  return file === undefined ? undefined : poolOf(file, path, most)
}

function poolOf(file: string, path: string, most: number): ReaderPool {
  const threads = new Set<Thread>()
  const inTurn = createLongReads(most)
  let lastId = 0
  let closed = false

  function start(): Thread {
    const interrupts = new Int32Array(new SharedArrayBuffer(4))
    const workerData: ThreadData = { path, interrupts }
    const thread: Thread = { worker: new Worker(file, { workerData }), interrupts, running: undefined }
    let cause: unknown
    thread.worker.unref()
    thread.worker.on('message', (answer: Answer) => thread.running?.resolve(answer))
    thread.worker.on('error', (error) => {
      cause = error
    })
    thread.worker.on('exit', () => {
      threads.delete(thread)
      thread.running?.reject(new CrmError('platform_unavailable', 'The thread that ran this search has ended.', { cause, retryAfter: 1 }))
    })
    threads.add(thread)
    return thread
  }

  /** Runs a statement on a thread that is free; `inTurn` starts no more of them than there are threads. */
  async function onThread(job: Job, signal: AbortSignal | undefined): Promise<Answer> {
    if (closed) throw new CrmError('platform_unavailable', 'The store is closing.')
    const thread = [...threads].find(({ running }) => running === undefined) ?? start()
    const interrupt = () => Atomics.store(thread.interrupts, 0, job.id)
    signal?.addEventListener('abort', interrupt, { once: true })
    // A thread keeps the process alive only while a call waits for it.
    thread.worker.ref()
    try {
      return await new Promise<Answer>((resolve, reject) => {
        thread.running = { id: job.id, resolve, reject }
        thread.worker.postMessage(job)
      })
    } finally {
      thread.running = undefined
      thread.worker.unref()
      signal?.removeEventListener('abort', interrupt)
    }
  }

  return {
    async run<T>(method: 'get' | 'all', sql: string, bind: readonly Parameter[], budget: Budget | undefined) {
      const job: Job = { id: ++lastId, method, sql, bind }
      const { value, error, ms } = await inTurn(budget, () => onThread(job, budget?.signal))
      if (error) throw Object.assign(new Error(error.message), error)
      return { value: value as T, ms }
    },

    async close() {
      closed = true
      // A thread ends between two statements, so the running one is interrupted first.
      for (const { interrupts, running } of threads) if (running) Atomics.store(interrupts, 0, running.id)
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}

/** The built file of a thread, in the folder of this package, wherever in it this code runs. */
function threadFile(): string | undefined {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const found = [join(folder, 'reader-thread.js'), join(folder, 'dist/reader-thread.js')].find(existsSync)
    if (found !== undefined || folder === dirname(folder)) return found
  }
}
