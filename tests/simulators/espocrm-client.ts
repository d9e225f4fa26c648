import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface Answer {
  readonly status: number
  readonly reason: string | null
  readonly headers: Headers
  readonly body: Body
}

/** What most answers have, and anything else. */
export interface Body {
  readonly id: string
  readonly total: number
  readonly list: readonly Body[]
  readonly user: Body
  readonly apiKey: string
  readonly lastName: string
  readonly [name: string]: unknown
}

export interface Client {
  simulator: Simulator
  call(method: string, path: string, body?: unknown, headers?: { readonly [name: string]: string }): Promise<Answer>
  get(path: string, headers?: { readonly [name: string]: string }): Promise<Answer>
  post(path: string, body: unknown, headers?: { readonly [name: string]: string }): Promise<Answer>
  put(path: string, body: unknown, headers?: { readonly [name: string]: string }): Promise<Answer>
}

/** A simulated EspoCRM for the tests of a file, empty for each of them. */
export function espocrm(): Client {
  const key = { 'x-api-key': 'simulator' }
  const client: Client = {
    simulator: undefined as never,
    async call(method, path, body, headers = key) {
      const answer = await fetch(new URL(`/api/v1/${path}`, client.simulator.url), {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      return {
        status: answer.status,
        reason: answer.headers.get('x-status-reason'),
        headers: answer.headers,
        body: answer.headers.get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : text,
      }
    },
    get: (path, headers) => client.call('GET', path, undefined, headers),
    post: (path, body, headers) => client.call('POST', path, body, headers),
    put: (path, body, headers) => client.call('PUT', path, body, headers),
  }
  beforeAll(async () => {
    client.simulator = await startSimulator(simulateEspoCrm)
  })
  beforeEach(() => {
    client.simulator.faults.clear()
    client.simulator.simulated.reset()
  })
  afterAll(() => client.simulator.close())
  return client
}

/** A filter as a query has it. */
export function where(...items: readonly { readonly [name: string]: unknown }[]): string {
  return `searchParams=${encodeURIComponent(JSON.stringify({ where: items }))}`
}
