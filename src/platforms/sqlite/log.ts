import { type FileHandle, open } from 'node:fs/promises'
import type { Connection } from './connection.ts'

/** The write-ahead log of a store, as far as it has to be made safe. */
export interface Log {
  /** Rejects while the store cannot promise anything. */
  ready(): Promise<void>
  /** Resolves once everything committed so far would survive a loss of power. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** For a store that is gone with the process. */
export const NO_LOG: Log = { ready: async () => {}, sync: async () => {}, close: async () => {} }

/** What is thrown when the disk does not confirm what it was given. */
export class SyncFailure extends Error {
  /** Whether something was committed that nobody can call safe; where not, nothing has happened. */
  readonly committed: boolean

  constructor(committed: boolean, cause?: unknown) {
    super(committed ? 'The disk did not confirm the write.' : 'The disk has not confirmed an earlier write yet.', { cause })
    this.committed = committed
  }
}

/**
 * Syncs the log beside the event loop. SQLite itself commits with `synchronous = NORMAL`: it writes the log without waiting for
 * the disk, keeps it whole whatever happens, and syncs it before it is written back into the file. What is missing is the sync
 * after each commit, which blocks whoever calls it; here another thread does.
 */
export function createLog(path: string, connection: Connection): Log {
  let file: FileHandle | undefined
  let doubtful = false

  /** The log's file is made anew when everyone had closed the store. */
  async function opened(): Promise<FileHandle> {
    if (file && (await file.stat()).nlink > 0) return file
    await file?.close()
    file = await open(`${path}-wal`, 'r')
    return file
  }

  return {
    async ready() {
      if (!doubtful) return
      // What a disk has failed to keep it may forget without a word, and all that follows with it: only a new log can be trusted.
      const row = connection.get('PRAGMA wal_checkpoint(TRUNCATE)', [])
      if (row?.busy !== 0) throw new SyncFailure(false)
      doubtful = false
    },

    async sync() {
      try {
        await (await opened()).datasync()
      } catch (error) {
        doubtful = true
        throw new SyncFailure(true, error)
      }
    },

    async close() {
      await file?.close()
    },
  }
}
