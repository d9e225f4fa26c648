import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { CrmError } from '../../contract/errors.ts'
import { extentRefusal } from '../../contract/input-extent.ts'
import { LIMITS } from '../../contract/limits.ts'
import { describeSyntaxError } from './json-syntax.ts'

const EMPTY = Buffer.alloc(0)

/** How many bytes `readBody` is going to read, as far as the headers tell. */
export function bytesToRead({ headers }: IncomingMessage, limit: number = LIMITS.bodyBytes): number {
  if (headers['transfer-encoding'] !== undefined) return limit
  const length = Number(headers['content-length'] ?? 0)
  return length > limit ? 0 : length
}

/**
 * Reads the whole body. Resolves to the error instead of rejecting, since a caller that is refused meanwhile never awaits it and the
 * rejection would be unhandled. The rest of a refused body is discarded by Node once the answer is sent; closing the connection instead
 * would lose the answer for a caller that is still sending. `judge` may refuse it before all of it has arrived.
 */
export function readBody(
  request: IncomingMessage,
  limit: number = LIMITS.bodyBytes,
  judge?: (chunk: Buffer) => CrmError | undefined,
  faultOf: MediaFault = mediaFault,
): Promise<Buffer | CrmError> {
  const { headers } = request
  const length = headers['content-length']
  if ((length === undefined || length === '0') && headers['transfer-encoding'] === undefined) return Promise.resolve(EMPTY)
  const fault = faultOf(headers['content-type'], headers['content-encoding'])
  if (fault) return Promise.resolve(fault)
  if (Number(length) > limit) return Promise.resolve(tooLarge(limit))
  // Its events have already been emitted.
  if (request.destroyed) return Promise.resolve(cutOff())

  return new Promise((resolve) => {
    // One that is judged may be large: from its second chunk on it is put together as it arrives, and not all at once.
    let whole: Buffer | undefined
    let only: Buffer | undefined
    let chunks: Buffer[] | undefined
    let size = 0
    let refused = false
    request.on('data', (chunk: Buffer) => {
      if (refused) return
      size += chunk.length
      const refusal = size > limit ? tooLarge(limit) : judge?.(chunk)
      if (refusal) {
        refused = true
        chunks = only = whole = undefined
        resolve(refusal)
      } else if (whole) chunk.copy(whole, size - chunk.length)
      else if (only === undefined) only = chunk
      else if (judge && length !== undefined) {
        whole = Buffer.allocUnsafeSlow(Number(length))
        only.copy(whole)
        chunk.copy(whole, only.length)
        only = undefined
      } else if (chunks === undefined) chunks = [only, chunk]
      else chunks.push(chunk)
      if (judge) restOf(request)
    })
    request.on('end', () => resolve(chunks ? Buffer.concat(chunks, size) : (whole ?? only ?? EMPTY)))
    request.on('error', () => resolve(cutOff()))
  })
}

/** Lets others have their turn before the next chunk is read: otherwise some megabytes are read and judged in one turn of the event loop. */
function restOf(request: IncomingMessage): void {
  request.pause()
  setImmediate(() => request.resume())
}

/** The input a body holds. An empty body is an empty input. Throws what `readBody` refused it with. */
export function parseBody(body: Buffer | CrmError): unknown {
  if (body instanceof CrmError) throw body
  if (body.length === 0) return {}
  if (!isUtf8(body)) throw notUtf8()
  const refusal = extentRefusal(body, 'The body')
  if (refusal) throw refusal
  return parseMeasured(body)
}

/** The same of a body whose values have been counted. */
export function parseMeasured(body: Buffer): unknown {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    if (text.trim() === '') return {}
    if (text.startsWith('\uFEFF')) return parseMeasured(body.subarray(3))
    throw new CrmError('invalid_input', describeSyntaxError(text))
  }
}

/** The input of a call that is refused whatever it holds, where it can be read: the audit names its record. */
export function parseForAudit(body: Buffer | CrmError | undefined): unknown {
  try {
    return body && parseBody(body)
  } catch {
    return undefined
  }
}

const JSON_TYPE = /^application\/(?:[\w.!#$&^+-]+\+)?json$/i
const UTF8 = /^(?:charset="?utf-?8"?)?$/i

function isJson(contentType: string): boolean {
  const [type = '', charset = '', ...rest] = contentType.split(';', 4).map((part) => part.trim())
  return JSON_TYPE.test(type) && UTF8.test(charset) && rest.join('') === '' && rest.length < 2
}

type MediaFault = (type: string | undefined, encoding: string | undefined) => CrmError | undefined

function mediaFault(type: string | undefined, encoding: string | undefined): CrmError | undefined {
  if (type !== undefined && type !== 'application/json' && !isJson(type)) {
    return new CrmError('invalid_input', 'The body must be JSON in UTF-8.', { hint: 'Send the header Content-Type: application/json.' })
  }
  if (encoding !== undefined && encoding !== 'identity') {
    return new CrmError('invalid_input', 'The body must not be compressed.', { hint: 'Leave the header Content-Encoding out.' })
  }
  return undefined
}

export const notUtf8 = () => new CrmError('invalid_input', 'The body is not valid UTF-8.', { hint: 'Send JSON encoded as UTF-8.' })

const cutOff = () => new CrmError('invalid_input', 'The connection ended before the whole body had arrived.')

const tooLarge = (limit: number) =>
  new CrmError('too_large', `The body is larger than ${limit.toLocaleString('en')} bytes.`, { hint: 'Send less in one call.' })
