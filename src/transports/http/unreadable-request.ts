import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { ERROR_TEXTS } from '../../contract/error-texts.ts'
import { CrmError, ERRORS, problemOf } from '../../contract/errors.ts'
import { logError } from './errors.ts'
import { commonHeaders, PROBLEM_TYPE, problemHeaders, respondProblem } from './response.ts'

/** Errors of Node's HTTP parser as ours. */
const FAULTS: { readonly [code: string]: () => CrmError } = {
  HPE_HEADER_OVERFLOW: () => new CrmError('too_large', 'The headers of the request are too large.', { hint: 'All headers together may have 16 KiB.' }),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => new CrmError('too_large', 'The chunk extensions of the request are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    new CrmError('invalid_input', 'The request took too long to arrive.', { hint: 'Send it again, faster; nothing was executed.' }),
}

/** How long a caller has to read why its request was refused. */
const LINGER_MS = 2000

/** Answers a request that Node's parser refuses. There is no response object yet, so the answer is written to the socket, which then closes. */
export function answerUnreadable(log: Logger, requestId: () => string, fault: Error & { code?: string }, socket: Socket): void {
  // No answer can be sent where the caller has disconnected, or an answer is half sent. On a connection that was never used it would be taken for the answer to the
  // first request, if that is sent just then.
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (fault.code === 'ECONNRESET' || !socket.writable || current?.headersSent || socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  const error = FAULTS[fault.code ?? '']?.() ?? new CrmError('invalid_input', 'The request is not valid HTTP.')
  const id = requestId()
  const body = JSON.stringify(problemOf(error, id))
  const lines = [...commonHeaders(id, PROBLEM_TYPE), ...problemHeaders(error), 'Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close']
  let head = `HTTP/1.1 ${ERRORS[error.code].status} ${ERROR_TEXTS[error.code].title}\r\n`
  for (let i = 0; i < lines.length; i += 2) head += `${lines[i]}: ${lines[i + 1]}\r\n`
  socket.end(`${head}\r\n${body}`)
  // A caller that neither reads nor closes would keep what its request has.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  logError(log, error, { requestId: id })
}

/** Answers an Expect header other than 100-continue, which Node would do without a body. */
export function answerExpectation(log: Logger, requestId: (request: IncomingMessage) => string, request: IncomingMessage, raw: ServerResponse): void {
  const error = new CrmError('invalid_input', 'The Expect header asks for something unknown.', { hint: 'Leave it out, or send Expect: 100-continue.' })
  const id = requestId(request)
  respondProblem(raw, id, error)
  logError(log, error, { requestId: id })
}
