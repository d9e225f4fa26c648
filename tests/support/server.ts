import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Problem } from '../../src/contract/errors.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { createService, type Service } from '../../src/core/service.ts'
import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import type { HttpOptions } from '../../src/transports/http/context.ts'
import { closeWithin } from '../../src/transports/http/graceful-close.ts'
import { createLog } from '../../src/transports/http/log.ts'
import { createHttpServer } from '../../src/transports/http/server.ts'
import { accountsOn } from './accounts.ts'

export interface TestServer {
  readonly url: string
  readonly port: number
  /** The first admin's key. */
  readonly key: string
  readonly app: FastifyInstance
  readonly service: Service
  /** The log so far. */
  readonly log: () => string
  readonly post: (operation: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>
  /** Executes an operation and resolves to its result. */
  readonly call: (operation: string, input?: unknown, headers?: Record<string, string>) => Promise<Record<string, unknown>>
  readonly close: () => Promise<void>
}

export type TestOptions = Partial<Omit<HttpOptions, 'service'>> & {
  readonly wrap?: (service: Service) => Service
  readonly host?: string
  /** Opens the store, which is closed with the server; a new SQLite file unless given. */
  readonly open?: () => Promise<Store>
  /** The first admin's key, if the store already has one. */
  readonly key?: string
}

/** A real server on a free port, on a new SQLite file. */
export async function startServer({
  wrap = (service) => service,
  host = '127.0.0.1',
  open,
  key: known = '',
  ...options
}: TestOptions = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-http-'))
  const store = await (open?.() ?? openSqlite(join(folder, 'crm.db')))
  const service = wrap(createService({ platform: store, store, accounts: accountsOn(store) }))
  const { key = known } = await bootstrap(service)
  const lines: string[] = []
  const log = createLog({ level: 'debug', pretty: false, destination: { write: (line) => lines.push(line) } })
  const built = join(import.meta.dirname, '../../dist')
  const app = createHttpServer({ service, authenticate: createAuthenticator(service), log, version: '0.0.0-test', built, ...options })
  await app.listen({ port: 0, host })
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`

  const post: TestServer['post'] = (operation, body = {}, headers = {}) =>
    fetch(`${url}/v1/operations/${encodeURIComponent(operation)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    })

  return {
    url,
    port,
    key,
    app,
    service,
    log: () => lines.join(''),
    post,
    async call(operation, input, headers) {
      const response = await post(operation, input, headers)
      if (response.status !== 200) throw new Error(`${operation}: ${await response.text()}`)
      return (await response.json()) as Record<string, unknown>
    },
    async close() {
      await closeWithin(app, 1_000)
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A server for one test, closed when the test ends. */
export async function serverForTest(options?: TestOptions): Promise<TestServer> {
  const server = await startServer(options)
  onTestFinished(() => server.close())
  return server
}

/** The problem in a refusal; checks what all refusals have in common. */
export async function problemIn(response: Response): Promise<Problem> {
  const text = await response.text()
  const problem = JSON.parse(text) as Problem
  const faults = [
    response.headers.get('content-type') === 'application/problem+json' || `content type ${response.headers.get('content-type')}`,
    problem.status === response.status || `status ${problem.status} in an answer with ${response.status}`,
    problem.requestId === response.headers.get('x-request-id') || 'another request id than in the header',
    problem.type === `/docs/errors#${problem.code}` || `type ${problem.type}`,
    problem.detail.length > 0 || 'no detail',
  ].filter((fault) => fault !== true)
  if (faults.length > 0) throw new Error(`Not a proper problem: ${faults.join(', ')}: ${text}`)
  return problem
}
