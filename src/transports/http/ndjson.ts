import type { ServerResponse } from 'node:http'
import { problemOf } from '../../contract/errors.ts'
import { asCrmError } from './errors.ts'
import type { Reservation } from './limits/memory.ts'
import { commonHeaders, type HeaderLines } from './response.ts'

export const NDJSON_TYPE = 'application/x-ndjson'

/** How long a client may stop reading before its connection is closed. */
const STALLED_MS = 60_000

/** Whether an Accept header prefers this type: it names the type, and gives JSON no higher quality. */
export function accepts(accept: string | undefined, type: string = NDJSON_TYPE): boolean {
  if (accept === undefined || !accept.includes(type)) return false
  const weights = new Map(
    accept.split(',').map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      return [name, Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)]
    }),
  )
  const wanted = weights.get(type) ?? 0
  return wanted > 0 && wanted >= (weights.get('application/json') ?? 0)
}

export interface StreamedPage {
  readonly Records: readonly unknown[]
  readonly AsOf?: string
}

/**
 * Answers with all matches, one record on each line, holding no more than a page of them in memory.
 *
 * An error before the first page is thrown and answered as usual. A later one ends the stream with a line of its own, and is returned for
 * the log.
 */
export async function respondNdjson(
  raw: ServerResponse,
  requestId: string,
  pages: AsyncGenerator<StreamedPage>,
  reserved: Reservation,
  more: HeaderLines = [],
): Promise<unknown> {
  let page = await pages.next()
  const dated: HeaderLines = page.value?.AsOf ? ['As-Of', page.value.AsOf] : []
  raw.writeHead(200, [...commonHeaders(requestId, NDJSON_TYPE), ...dated, ...more])
  raw.flushHeaders()
  try {
    while (!page.done && !raw.destroyed) {
      let lines = ''
      for (const record of page.value.Records) lines += `${JSON.stringify(record)}\n`
      reserved.answer(lines.length, false)
      if (lines !== '' && !raw.write(lines)) await drained(raw)
      reserved.free()
      if (raw.destroyed) break
      page = await pages.next()
    }
    raw.end()
    return undefined
  } catch (error) {
    if (!raw.destroyed) raw.end(`${JSON.stringify({ error: problemOf(asCrmError(error), requestId) })}\n`)
    return error
  } finally {
    await pages.return(undefined)
  }
}

/** Resolves once the client has read what is buffered, or has disconnected. */
export function drained(raw: ServerResponse): Promise<void> {
  if (raw.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const stalled = setTimeout(() => raw.destroy(), STALLED_MS)
    const done = () => {
      clearTimeout(stalled)
      raw.off('drain', done).off('close', done)
      resolve()
    }
    raw.on('drain', done).on('close', done)
  })
}
