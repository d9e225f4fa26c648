import { expect, test } from 'vitest'
import { examine } from '../../../../src/app/doctor/examine.ts'
import { openCrms } from '../../../../src/app/open-crms.ts'
import { readConfig } from '../../../../src/config/settings.ts'
import type { Platform } from '../../../../src/platforms/platform.ts'
import { type PlainAnswer, type PlainRequest, plainServer } from '../../../support/plain-server.ts'

/** All that a request carries, as a CRM might echo it. */
const echo = ({ headers, body, url }: PlainRequest) =>
  JSON.stringify([headers.authorization, headers['x-api-key'], headers['x-hmac-authorization'], body, url.href])

const SECRET = 's3cr3t/"+value='

const CASES: readonly {
  readonly name: string
  readonly crm: string
  readonly secrets: { readonly [variable: string]: string }
  readonly hidden: readonly string[]
  readonly answer: (request: PlainRequest, origin: string) => PlainAnswer
}[] = [
  {
    name: 'the token of a private app of HubSpot',
    crm: 'hubspot',
    secrets: { CRM_HUBSPOT_TOKEN: SECRET },
    hidden: [SECRET],
    answer: (request) => ({
      status: 400,
      body: { status: 'error', correlationId: '1', message: `No: ${echo(request)}`, errors: [{ message: echo(request) }] },
    }),
  },
  {
    name: 'the secrets of an app of HubSpot, by the sign-in',
    crm: 'hubspot',
    secrets: { CRM_HUBSPOT_CLIENT_ID: 'app', CRM_HUBSPOT_CLIENT_SECRET: `client-${SECRET}`, CRM_HUBSPOT_REFRESH_TOKEN: `refresh-${SECRET}` },
    hidden: [`client-${SECRET}`, `refresh-${SECRET}`],
    answer: (request) => ({ status: 400, body: { status: 'BAD_REFRESH_TOKEN', message: echo(request) } }),
  },
  {
    name: 'the access token that HubSpot has given',
    crm: 'hubspot',
    secrets: { CRM_HUBSPOT_CLIENT_ID: 'app', CRM_HUBSPOT_CLIENT_SECRET: `client-${SECRET}`, CRM_HUBSPOT_REFRESH_TOKEN: `refresh-${SECRET}` },
    hidden: ['access-token-of-hubspot', 'another-refresh-token'],
    answer: (request) =>
      request.url.pathname.startsWith('/oauth/')
        ? { status: 200, body: { access_token: 'access-token-of-hubspot', refresh_token: 'another-refresh-token', expires_in: 1800 } }
        : { status: 400, body: { status: 'error', correlationId: '1', message: `${echo(request)} another-refresh-token` } },
  },
  {
    name: 'the client secret of Salesforce, by the sign-in',
    crm: 'salesforce',
    secrets: { CRM_SALESFORCE_CLIENT_ID: 'app', CRM_SALESFORCE_CLIENT_SECRET: SECRET },
    hidden: [SECRET],
    answer: (request) => ({ status: 400, body: { error: 'invalid_client', error_description: echo(request) } }),
  },
  {
    name: 'the access token that Salesforce has given',
    crm: 'salesforce',
    secrets: { CRM_SALESFORCE_CLIENT_ID: 'app', CRM_SALESFORCE_CLIENT_SECRET: SECRET },
    hidden: ['access-token-of-salesforce'],
    answer: (request, origin) =>
      request.url.pathname === '/services/oauth2/token'
        ? { status: 200, body: { access_token: 'access-token-of-salesforce', instance_url: origin } }
        : { status: 400, body: [{ errorCode: 'MALFORMED_QUERY', message: echo(request), fields: ['Name'] }] },
  },
  {
    name: 'the API key of EspoCRM',
    crm: 'espocrm',
    secrets: { CRM_ESPOCRM_API_KEY: SECRET },
    hidden: [SECRET],
    answer: (request) => ({ status: 400, headers: { 'x-status-reason': echo(request) } }),
  },
  {
    name: 'what EspoCRM is sent with a signature',
    crm: 'espocrm',
    secrets: { CRM_ESPOCRM_API_KEY: SECRET, CRM_ESPOCRM_SECRET_KEY: 'another-secret' },
    hidden: [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 16)],
    answer: (request) => ({ status: 400, headers: { 'x-status-reason': echo(request) } }),
  },
  {
    name: 'the password of EspoCRM',
    crm: 'espocrm',
    secrets: { CRM_ESPOCRM_USERNAME: 'admin', CRM_ESPOCRM_PASSWORD: SECRET },
    hidden: [SECRET, Buffer.from(`admin:${SECRET}`).toString('base64')],
    answer: (request) => ({ status: 403, headers: { 'x-status-reason': echo(request) } }),
  },
]

/** Some CRMs are opened with what they allow, and refuse a call. */
async function firstLead(platform: Platform): Promise<unknown> {
  try {
    return await platform.reader(1).find('Lead', { where: [], order: { field: 'CreatedDate', descending: true }, limit: 1 })
  } catch (error) {
    return error
  } finally {
    await platform.close()
  }
}

test.each(CASES)('no error, log or finding shows $name, which the CRM echoes', async ({ crm, secrets, hidden, answer }) => {
  const { origin } = await plainServer(answer)
  const platform = `${crm}:${origin}`
  const environment = { ...secrets, CRM_STORE: 'sqlite::memory:' }
  const { crms } = readConfig({ platform }, environment)
  const [[url, settings]] = Object.entries(crms) as [[string, (typeof crms)[string]]]
  const open = (await openCrms([[url, { ...settings, retryMs: 0 }]])).get(url) as () => Promise<Platform>
  const refusal = await open().then(firstLead, (error: unknown) => error)
  expect(refusal).toBeInstanceOf(Error)
  const findings: unknown[] = []
  for await (const finding of examine({ flags: { platform }, environment, version: '0', deep: false })) findings.push(finding)
  const texts = textsIn([refusal, findings])
  expect(texts.some((text) => text.includes('[secret]'))).toBe(true)
  for (const secret of hidden)
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      expect(texts.filter((text) => text.includes(form))).toEqual([])
})

/** All texts in a value, those of errors and their causes included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return [...Object.values(value), ...(value instanceof Error ? [value.message, value.stack, value.cause] : [])].flatMap(textsIn)
}
