import { createReadStream, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { CrmError } from '../../../contract/errors.ts'
import type { FileSource } from '../../../files/reading/decoding.ts'

/** Enough for a few hundred rows. */
const PIECE = 64 * 1024

/** A file on disk. */
export function fileSource(path: string): FileSource {
  return {
    name: path,
    size: sizeOf(path),
    pieces: () => createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Uint8Array>,
    whole: () => readFile(path),
  }
}

function sizeOf(path: string): number {
  let size: number | undefined
  try {
    const file = statSync(path)
    size = file.isFile() ? file.size : undefined
  } catch (error) {
    throw new CrmError('not_found', `${path} cannot be read: ${(error as Error).message}`)
  }
  if (size === undefined)
    throw new CrmError('invalid_input', `${path} is not a file.`, { hint: 'An import reads its file more than once, so it must be a regular file.' })
  return size
}
