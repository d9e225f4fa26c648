import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Event } from '../../src/contract/records/event.ts'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: Event
  readonly status: number
}

export interface Target {
  readonly url: string
  readonly received: Received[]
  /** The accepted deliveries, in order. */
  readonly accepted: () => Event[]
  /** How the target answers from now on: a status, or a handler of the response. */
  answer: (event: Event, response: ServerResponse) => number | undefined
}

/** A real target on this machine that records its deliveries. */
export async function startTarget(): Promise<Target> {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    if (body === '') return
    const event = JSON.parse(body) as Event
    const status = target.answer(event, response)
    if (status === undefined) return
    target.received.push({ headers: request.headers, body, event, status })
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const target: Target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    accepted: () => target.received.filter(({ status }) => status < 300).map(({ event }) => event),
    answer: () => 204,
  }
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return target
}
