import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const VISIBLE = /^[\x21-\x7e]{1,128}$/

/** Names a request: as the caller did in X-Request-Id, if that can be shown back, otherwise anew. */
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
