import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const VISIBLE = /^[\x21-\x7e]{1,128}$/

/** The id of a request: the caller's X-Request-Id if it is printable and short, otherwise a new one. */
export type RequestIds = (request: Pick<IncomingMessage, 'headers'>) => string

export function createRequestIds(): RequestIds {
  const process = randomBytes(6).toString('hex')
  let count = 0
  return (request) => {
    const given = request.headers['x-request-id']
    if (typeof given === 'string' && VISIBLE.test(given)) return given
    count += 1
    return `${process}-${count.toString(36)}`
  }
}
