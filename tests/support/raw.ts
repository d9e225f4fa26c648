import { connect } from 'node:net'
import type { Problem } from '../../src/contract/errors.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends these exact bytes and resolves to the answer, read until the server closes the connection. */
export async function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const ended = new Promise<void>((resolve, reject) => socket.on('close', () => resolve()).on('error', reject))
  for (const part of parts) socket.write(part)
  await ended
  return readAnswer(Buffer.concat(chunks).toString('utf8'))
}

export function readAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 1).trim()]))
  return { status: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}

/** The problem in a raw answer; checks its headers. */
export function problemOfRaw({ status, headers, body }: RawAnswer): Problem {
  const problem = JSON.parse(body) as Problem
  if (headers.get('content-type') !== 'application/problem+json') throw new Error(`Not a problem: ${headers.get('content-type')}`)
  if (problem.status !== status || problem.requestId !== headers.get('x-request-id')) throw new Error(`The problem does not fit its headers: ${body}`)
  return problem
}
