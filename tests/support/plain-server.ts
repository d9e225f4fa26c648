import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type Crm, clientOf } from '../../src/contract/client/client.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService } from '../../src/core/service.ts'
import type { CrmKind } from '../../src/platforms/crms/engine/kind.ts'
import { openCrmPlatform } from '../../src/platforms/crms/engine/open.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'

export interface PlainRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface PlainAnswer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
}

/** A server for one test that answers a few requests of a CRM and records all requests. */
export async function plainServer(answer: (request: PlainRequest, origin: string) => PlainAnswer) {
  const requests: PlainRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const request = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '', origin()),
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    }
    requests.push(request)
    const { status, body, headers } = answer(request, origin())
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body === undefined ? '' : JSON.stringify(body))
  })
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close()
  })
  return { origin: origin(), requests }
}

/** The operations on a CRM at an address, for one test. */
export async function operationsOver(kind: CrmKind, address: string, secrets: { readonly [name: string]: string }) {
  const settings = { quotaFloor: 0, timeoutMs: 5000, options: {} }
  const platform = await openCrmPlatform(kind, { address, settings, secrets, tables: kind.tables({}), retry: (attempt) => attempt(), reconcileMs: 500 })
  const store = await openSqlite(':memory:')
  onTestFinished(async () => {
    await platform.close()
    await store.close()
  })
  const service = createService({ platform, store })
  const { key } = await bootstrap(service)
  const authenticate = createAuthenticator(service)
  return { platform, crm: clientOf(inProcessTransport(service, () => authenticate(key as string))) }
}

/** Creates, reads, updates and deletes a lead on a CRM that gives the first one this id. */
export async function lifeOfALead({ leads }: Pick<Crm, 'leads'>, id: string): Promise<void> {
  const { LeadID } = await leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' })
  expect(LeadID).toBe(id)
  expect(await leads.get({ LeadID })).toMatchObject({ LeadID, LastName: 'Lovelace', Status: 'Open', Email: 'ada@example.com' })
  expect((await leads.getMany({ Filters: { LastName: 'Lovelace' } })).Records).toHaveLength(1)
  expect(await leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Augusta' } })).toMatchObject({ UpdatedFields: ['FirstName'] })
  expect(await leads.get({ LeadID })).toMatchObject({ FirstName: 'Augusta' })
  await leads.delete({ LeadID })
  await expect(leads.get({ LeadID })).rejects.toMatchObject({ code: 'not_found' })
}

/** The method and body of each request. */
export const sentIn = (requests: readonly PlainRequest[]) => requests.map(({ method, body }) => [method, body === '' ? undefined : JSON.parse(body)])
