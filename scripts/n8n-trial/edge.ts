import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * What befalls a request: its answer is lost after the service has carried it out, it is turned away before, it is sent to the address
 * of the service, or somebody else answers it.
 */
export type Fault = 'unheard' | 'refused' | 'moved' | 'other'

export interface Edge {
  readonly url: string
  /** The idempotency keys of the requests. */
  readonly keys: string[]
  /** The faults of the next requests; undefined lets one pass. */
  befall(...faults: (Fault | undefined)[]): void
  close(): void
}

/** A proxy between n8n and the service that injects faults. */
export async function startEdge(service: string): Promise<Edge> {
  const faults: (Fault | undefined)[] = []
  const keys: string[] = []
  const server = createServer(async (asked, answer) => {
    const body = await buffer(asked)
    keys.push(String(asked.headers['idempotency-key']))
    const fault = faults.shift()
    if (fault === 'refused') return void answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    if (fault === 'moved') return void answer.writeHead(301, { location: service + asked.url }).end()
    if (fault === 'other') return void answer.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":"world"}')
    const onward = request(service + asked.url, { method: asked.method ?? 'POST', headers: asked.headers }, async (came) => {
      const bytes = await buffer(came)
      if (fault === 'unheard') return void asked.socket.destroy()
      answer.writeHead(came.statusCode ?? 500, came.headers).end(bytes)
    })
    onward.on('error', () => asked.socket.destroy())
    onward.end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    befall: (...more) => void faults.splice(0, faults.length, ...more),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
