import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { CrmError } from '../../../src/contract/errors.ts'
import { CRM_NAMES, type CrmName } from '../../../src/platforms/crms/names.ts'
import { startConnectingService } from '../../support/connected.ts'

const SECRETS: { readonly [name in CrmName]: { readonly [secret: string]: string } } = {
  salesforce: { clientId: 'simulator', clientSecret: 'simulator' },
  hubspot: { token: 'simulator' },
  espocrm: { apiKey: 'simulator' },
}

/** A server that answers everything in the same way. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const OTHERS: { readonly [what: string]: readonly [status: number, body: string] } = {
  'an empty object': [200, '{}'],
  'a list': [200, '[]'],
  'tokens and nothing else': [200, '{"access_token":"simulator-token"}'],
  'a page that there is not': [404, '<h1>Not Found</h1>'],
  'a page': [200, '<h1>Welcome</h1>'],
}

test.for(CRM_NAMES.flatMap((Platform) => Object.keys(OTHERS).map((what) => [Platform, what] as const)))(
  'what is not %s, and answers with %s, is not connected',
  { timeout: 60_000 },
  async ([Platform, what]) => {
    const [status, body] = OTHERS[what] as (typeof OTHERS)[string]
    const [{ crm }, Address] = [await startConnectingService(), await answering((_, response) => void response.writeHead(status).end(body))]
    const { code, message, hint, errors } = await crm.connections.create({ Platform, Address, Secrets: SECRETS[Platform] }).then(
      () => expect.unreachable(),
      (error: CrmError) => error,
    )
    expect(['invalid_input', 'platform_unavailable', 'not_found']).toContain(code)
    if (what === 'a list')
      expect([code, errors]).toMatchObject(Platform === 'salesforce' ? ['platform_unavailable', undefined] : ['invalid_input', [{ field: 'Address' }]])
    expect(message).toContain(Address)
    expect(hint).toMatch(/Check the address.*https:\/\//)
    expect((await crm.connections.getMany({})).Records).toEqual([])
  },
)
