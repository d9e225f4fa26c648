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
 * would lose the answer for a caller that is still sending.
 */
export function readBody(request: IncomingMessage, limit: number = LIMITS.bodyBytes): Promise<Buffer | CrmError> {
  const { headers } = request
  const length = headers['content-length']
  if ((length === undefined || length === '0') && headers['transfer-encoding'] === undefined) return Promise.resolve(EMPTY)
  const fault = mediaFault(headers['content-type'], headers['content-encoding'])
  if (fault) return Promise.resolve(fault)
  if (Number(length) > limit) return Promise.resolve(tooLarge(limit))
  // Its events have already been emitted.
  if (request.destroyed) return Promise.resolve(cutOff())

  return new Promise((resolve) => {
    let only: Buffer | undefined
    let chunks: Buffer[] | undefined
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        chunks = only = undefined
        resolve(tooLarge(limit))
      } else if (only === undefined) only = chunk
      else if (chunks === undefined) chunks = [only, chunk]
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks ? Buffer.concat(chunks, size) : (only ?? EMPTY)))
    request.on('error', () => resolve(cutOff()))
  })
}

/** The input a body holds: at most so many values. An empty body is an empty input. Throws what `readBody` refused it with. */
export function parseBody(body: Buffer | CrmError, values: number = LIMITS.values): unknown {
  if (body instanceof CrmError) throw body
  if (body.length === 0) return {}
  if (!isUtf8(body)) throw new CrmError('invalid_input', 'The body is not valid UTF-8.', { hint: 'Send JSON encoded as UTF-8.' })
  const text = body.toString('utf8')
  const refusal = extentRefusal(text, 'The body', values)
  if (refusal) throw refusal
  try {
    return JSON.parse(text)
  } catch {
    if (text.trim() === '') return {}
    if (text.startsWith('\uFEFF')) return parseBody(body.subarray(3), values)
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

function mediaFault(type: string | undefined, encoding: string | undefined): CrmError | undefined {
  if (type !== undefined && type !== 'application/json' && !isJson(type)) {
    return new CrmError('invalid_input', 'The body must be JSON in UTF-8.', { hint: 'Send the header Content-Type: application/json.' })
  }
  if (encoding !== undefined && encoding !== 'identity') {
    return new CrmError('invalid_input', 'The body must not be compressed.', { hint: 'Leave the header Content-Encoding out.' })
  }
  return undefined
}

const cutOff = () => new CrmError('invalid_input', 'The connection ended before the whole body had arrived.')

const tooLarge = (limit: number) =>
  new CrmError('too_large', `The body is larger than ${limit.toLocaleString('en')} bytes.`, { hint: 'Send less in one call.' })
