import type { IncomingMessage } from 'node:http'

/** How much of an answer is read before the connection is closed. Some targets stop working when their answer is not read at all. */
const MAX_READ = 64 * 1024
/** How much of it is kept. */
const MAX_BODY = 4096
const MAX_HEADER = 1024
/** The names of headers that hold credentials. */
const SECRET = /cookie|auth|token|secret|signature|api-?key/i

const MASKED = '•••'

/** What a target has answered, without credentials. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of its text. */
  readonly body: string
}

/** Reads an answer; the returned function has what has come of it so far. */
export function readAnswer(response: IncomingMessage): () => Answer {
  const chunks: Buffer[] = []
  let read = 0
  response.on('error', () => {})
  response.on('data', (chunk: Buffer) => {
    if (read < MAX_BODY) chunks.push(chunk.subarray(0, MAX_BODY - read))
    read += chunk.length
    if (read >= MAX_READ) response.destroy()
  })
  return () => ({ headers: masked(response.headers), body: textOf(Buffer.concat(chunks)) })
}

/** Headers as they may be shown. */
export const masked = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? MASKED : String(value).slice(0, MAX_HEADER)]))

/** Without a character that was cut in two, and without NUL, which PostgreSQL does not store. */
const textOf = (bytes: Buffer) => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
