import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** What is done with a request instead of passing it on. */
export type Fault =
  /** The connection ends before the service hears of it. */
  | 'lost'
  /** The service carries it out, and the connection ends before anybody hears of that. */
  | 'unanswered'
  /** The same, in the middle of the answer. */
  | 'half'
  /** The same, and the answer seems to be whole. */
  | 'cut'
  /** Nobody ever answers, nor ends the connection. */
  | 'silent'
  /** It is answered so, by somebody in between; `after` the service has carried it out, or without its hearing of it. */
  | { readonly status: number; readonly headers?: { readonly [name: string]: string }; readonly body?: string; readonly after?: true }

export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface FaultyProxy {
  readonly url: string
  /** What came, in order. */
  readonly arrived: Arrived[]
  /** What befalls the next requests, in order; undefined lets one pass, and so do all after them. */
  failNext(...faults: (Fault | undefined)[]): void
  /** Ends all connections there are. */
  cut(): void
}

/** A real network's edge between a client and a service, that things can go wrong at. */
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
