import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { CrmError } from '../../../contract/errors.ts'
import { type Io, write } from '../io.ts'
import { csvText } from '../output.ts'
import { partOf } from '../part-file.ts'

/** Where an export goes. */
export interface Output {
  write(piece: string | Uint8Array): Promise<void>
  /** Whether it is still being read. */
  isRead(): boolean
  /** Finishes it; resolves to its size in bytes. */
  done(): Promise<number>
  /** Removes what was written. */
  drop(): Promise<void>
}

/** A file that appears under its name once it is complete. */
export async function fileOutput(path: string, force: boolean): Promise<Output> {
  if (existsSync(path) && !force) throw new CrmError('conflict', `${path} exists already.`, { hint: 'Choose another name, or overwrite it with --force.' })
  let part: string
  let file: FileHandle
  try {
    part = partOf(path)
    file = await open(part, 'wx', 0o600)
  } catch (error) {
    if (error instanceof CrmError) throw error
    throw new CrmError('invalid_input', `${path} cannot be written: ${(error as Error).message}`)
  }
  let bytes = 0
  return {
    async write(piece) {
      const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece
      bytes += buffer.length
      await file.writeFile(buffer)
    },
    isRead: () => true,
    async done() {
      await file.sync()
      await file.close()
      await rename(part, path)
      return bytes
    },
    async drop() {
      await file.close()
      await rm(part, { force: true })
    },
  }
}

export function standardOutput(io: Io): Output {
  let bytes = 0
  return {
    async write(piece) {
      const text = String(piece)
      bytes += Buffer.byteLength(text)
      await write(io, csvText(io, text))
    },
    isRead: () => !io.unread.aborted,
    done: async () => bytes,
    async drop() {},
  }
}
