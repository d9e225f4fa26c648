import { setPriority } from 'node:os'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { connect, READING, sqliteDriver } from './connection.ts'
import type { Answer, Job, ThreadData } from './reader-pool.ts'

/** A thread of the reader pool: runs one statement after the other over a connection of its own. */
const { path, interrupts } = workerData as ThreadData
const port = parentPort as MessagePort

// The thread that answers calls comes first. Only Linux sets this for the thread, others for the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(10)
  } catch {
    // A sandbox may forbid it, and it is not needed.
  }
}

let current = 0
const connection = connect(await sqliteDriver(), path, READING, () => {
  if (Atomics.load(interrupts, 0) === current) throw new Error('Interrupted.')
})

port.on('message', ({ id, method, sql, bind }: Job) => {
  current = id
  const started = performance.now()
  const answer: Answer = { ...attempt(() => connection[method](sql, bind)), ms: performance.now() - started }
  port.postMessage(answer)
})

function attempt(work: () => unknown): Pick<Answer, 'value' | 'error'> {
  try {
    return { value: work() }
  } catch (error) {
    // Copying an error between threads loses SQLite's number.
    const { message, errcode, code } = error as { message: string; errcode?: number; code?: string }
    return { error: { message, errcode, code } }
  }
}
