import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import jsforce from 'jsforce'
import { afterAll, beforeAll } from 'vitest'

export const VERSION = 'v66.0'

export interface Answer<T = never> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** A simulator for the tests of a file, and two ways to speak to it: by a client that others wrote, and by hand. */
export function salesforce() {
  const running: { simulator?: Simulator } = {}
  beforeAll(async () => {
    running.simulator = await startSimulator(simulateSalesforce)
  })
  afterAll(() => running.simulator?.close())
  const simulator = () => running.simulator as Simulator

  async function send<T = never>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    const response = await fetch(`${simulator().url}${path.startsWith('/services') ? '' : `/services/data/${VERSION}`}${path}`, {
      method,
      headers: { authorization: 'Bearer simulator', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T }
  }

  return {
    simulator,
    send,
    /** A connection that signs in by itself whenever it has to. */
    connect: (more: object = {}) =>
      new jsforce.Connection({
        instanceUrl: simulator().url,
        loginUrl: simulator().url,
        accessToken: 'simulator',
        refreshToken: 'simulator',
        version: '66.0',
        oauth2: { clientId: 'simulator', clientSecret: 'simulator', loginUrl: simulator().url },
        ...more,
      }),
    async id(object: string, fields: object): Promise<string> {
      const { body } = await send<{ readonly id: string }>('POST', `/sobjects/${object}`, fields)
      if (!body.id) throw new Error(JSON.stringify(body))
      return body.id
    },
    async query<T = Record<string, unknown>>(
      soql: string,
    ): Promise<{ readonly totalSize: number; readonly done: boolean; readonly records: T[]; readonly nextRecordsUrl?: string }> {
      const { status, body } = await send<never>('GET', `/query?q=${encodeURIComponent(soql)}`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body
    },
    /** What is wrong with a query. */
    async wrong(soql: string): Promise<{ readonly message: string; readonly errorCode: string }> {
      const { body } = await send<{ readonly message: string; readonly errorCode: string }[]>('GET', `/query?q=${encodeURIComponent(soql)}`)
      if (!Array.isArray(body)) throw new Error(`Nothing is wrong with ${soql}`)
      return body[0] as { readonly message: string; readonly errorCode: string }
    },
  }
}
