import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** What happens to a request instead of forwarding it. */
export type Fault =
  /** The connection is closed before the service gets the request. */
  | 'lost'
  /** The service executes it, and the connection is closed before the answer. */
  | 'unanswered'
  /** The same, in the middle of the answer. */
  | 'half'
  /** The answer is truncated without a sign of it: there is no Content-Length. */
  | 'cut'
  /** No answer, and the connection stays open. */
  | 'silent'
  /** The proxy answers this itself, `after` the service has executed the request, or without forwarding it. */
  | { readonly status: number; readonly headers?: { readonly [name: string]: string }; readonly body?: string; readonly after?: true }

export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface FaultyProxy {
  readonly url: string
  /** The requests so far, in order. */
  readonly arrived: Arrived[]
  /** The faults of the next requests, in order; undefined forwards one, as do all later requests. */
  failNext(...faults: (Fault | undefined)[]): void
  /** Closes all connections. */
  cut(): void
}

/** An HTTP proxy between a client and a service that injects faults. */
export async function faultyProxy(service: string): Promise<FaultyProxy> {
  const faults: (Fault | undefined)[] = []
  const arrived: Arrived[] = []
  const server = createServer(async (asked, answer) => {
    const { method = '', url: path = '', headers } = asked
    const body = await text(asked).catch(() => '')
    arrived.push({ method, path, headers, body })
    const fault = faults.shift()
    if (fault === 'silent') return
    if (fault === 'lost') return void asked.socket.destroy()
    if (typeof fault === 'object' && !fault.after) return void answer.writeHead(fault.status, fault.headers).end(fault.body)
    pass(service + path, { method, headers, body }, answer, fault)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    failNext: (...more) => void faults.splice(0, faults.length, ...more),
    cut: () => server.closeAllConnections(),
  }
}

function pass(
  url: string,
  { method, headers, body }: Omit<Arrived, 'path'>,
  answer: ServerResponse,
  fault: Exclude<Fault, 'lost' | 'silent'> | undefined,
): void {
  const onward = request(url, { method, headers }, async (came) => {
    if (fault === undefined) return void came.pipe(answer.writeHead(came.statusCode ?? 500, came.headers))
    const bytes = await buffer(came)
    if (fault === 'unanswered') return void answer.socket?.destroy()
    if (typeof fault === 'object') return void answer.writeHead(fault.status, fault.headers).end(fault.body)
    const { 'content-length': _, ...others } = came.headers
    const half = bytes.subarray(0, bytes.length / 2)
    if (fault === 'cut') return void answer.writeHead(came.statusCode ?? 500, others).end(half)
    answer.writeHead(came.statusCode ?? 500, came.headers)
    answer.write(half, () => answer.socket?.destroy())
  })
  onward.on('error', () => answer.socket?.destroy())
  answer.on('close', () => onward.destroy())
  onward.end(body)
}
