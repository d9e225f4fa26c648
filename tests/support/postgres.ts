import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { createDatabase, dropDatabase } from './postgres-database.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address that returns the URL of the shared server. */
    postgres: string
  }
}

export interface TemporaryDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** No test on the shared server is about crashes, so fsync is off. */
const QUICK = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }

/** One server for the whole run, started when a test first needs it; or the server of CRM_TEST_POSTGRES. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let server: Promise<Pick<PostgresServer, 'url' | 'remove'>> | undefined
  const address = createServer(async (_, response) => {
    server ??= process.env.CRM_TEST_POSTGRES
      ? Promise.resolve({ url: process.env.CRM_TEST_POSTGRES, remove: async () => {} })
      : startPostgres({ settings: QUICK })
    const [status, text] = await server.then(
      ({ url }) => [200, url] as const,
      (error: Error) => [500, error.message] as const,
    )
    response.writeHead(status).end(text)
  })
  await once(address.listen(0, '127.0.0.1'), 'listening')
  provide('postgres', `http://127.0.0.1:${(address.address() as AddressInfo).port}`)
  return async () => {
    address.close()
    await server?.then(
      ({ remove }) => remove(),
      () => {},
    )
  }
}

/** A new, empty database on the shared server. */
export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const answer = await fetch(inject('postgres'))
  const server = await answer.text()
  if (!answer.ok) throw new Error(server)
  const url = await createDatabase(server)
  return { url, drop: () => dropDatabase(server, url) }
}
