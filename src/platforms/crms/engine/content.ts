import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unzip = promisify(gunzip)

/** The longest answer that is read, so that a few bytes cannot fill the memory. */
const MOST_BYTES = 512 * 1024 * 1024

/** The encodings that `textOf` reads. */
export const ENCODINGS = 'gzip'

/** The text of an answer. One that was cut off is read as it came: that it arrived says more than that it cannot be read. */
export async function textOf(body: Uint8Array, encoding: string | undefined): Promise<string> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (encoding !== 'gzip') return bytes.toString()
  return (await unzip(bytes, { maxOutputLength: MOST_BYTES }).catch(() => bytes)).toString()
}
