import type { WireAnswer, WireRequest } from 'crm-simulators'
import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Examined, OpenOptions } from '../../../../src/platforms/crms/engine/kind.ts'
import { examine } from '../../../../src/platforms/crms/hubspot/examination.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import { ADA, all, good, startAccount } from './open-account.ts'

const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }
const TICKET = { Subject: 'Jam', Description: 'Stuck', Status: 'New' }

const lacking = (...scopes: string[]): WireAnswer => ({
  status: 403,
  body: {
    status: 'error',
    message: "This app hasn't been granted all required scopes to make this call.",
    correlationId: 'x',
    category: 'MISSING_SCOPES',
    errors: [{ message: 'One or more of the following scopes are required.', context: { requiredGranularScopes: scopes } }],
  },
})

const ABSENT: WireAnswer = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>no</html>' }

/** An account that answers some requests in another way. */
async function account(otherwise: (request: WireRequest) => WireAnswer | undefined, options: OpenOptions['settings']['options'] = {}) {
  const simulator = await startSimulator((world) => {
    const simulated = simulateHubSpot(world)
    return { ...simulated, answer: (request) => otherwise(request) ?? simulated.answer(request) }
  })
  onTestFinished(() => simulator.close())
  const { opening } = await startAccount({ options })
  return { ...opening, address: simulator.url }
}

async function opened(opening: OpenOptions) {
  const driver = await hubspot.open(opening)
  onTestFinished(() => driver.close())
  return driver
}

const isAbout = (object: string) => (request: WireRequest) => new RegExp(`/(?:objects|pipelines|properties)/2026-03/${object}\\b`).test(request.path)

describe('an app without the scopes of an object', () => {
  test.for([
    ['deals', 'Opportunity', DEAL],
    ['tickets', 'Case', TICKET],
    ['leads', 'Lead', ADA],
    ['contacts', 'Lead', ADA],
  ] as const)('is let in, and refused only %s', async ([object, type, draft]) => {
    const opening = await account((request) => (isAbout(object)(request) ? lacking(`crm.objects.${object}.read`) : undefined), {
      leads: object === 'leads' ? 'lead' : 'contact',
    })
    const driver = await opened(opening)
    const refusal = { code: 'forbidden', hint: expect.stringContaining(`crm.objects.${object}.read`) }
    await expect(driver.find(type, { where: [], size: 10 })).rejects.toMatchObject(refusal)
    await expect(driver.get(type, ['1'])).rejects.toMatchObject(refusal)
    await expect(driver.count(type, { where: [] })).rejects.toMatchObject(refusal)
    const created = await driver.create(type, [draft]).catch((error: unknown) => [error])
    expect(created).toMatchObject([refusal])
    await expect(driver.ping()).resolves.toBeUndefined()
    const drafts = { Lead: ADA, Opportunity: DEAL, Case: TICKET }
    for (const [other, one] of Object.entries(drafts)) if (other !== type) expect(good(await driver.create(other, [one]))).toMatchObject([one])
  })

  test('may use it as soon as it has them', async () => {
    let isGranted = false
    const opening = await account((request) => (!isGranted && isAbout('deals')(request) ? lacking('crm.objects.deals.read') : undefined))
    const driver = await opened(opening)
    await expect(driver.find('Opportunity', { where: [], size: 10 })).rejects.toMatchObject({ code: 'forbidden' })
    isGranted = true
    const [deal] = good(await driver.create('Opportunity', [{ ...DEAL, Stage: 'Closed Won' }])) as { OpportunityID: string }[]
    expect(deal).toMatchObject({ Stage: 'Closed Won' })
    expect(await all(driver, 'Opportunity')).toEqual([deal])
    expect(driver.narrows('Opportunity', { field: 'Stage', family: 'text', operator: 'eq', value: 'Closed Won' })).toBe('roughly')
    expect(good(await driver.update('Opportunity', [{ id: deal?.OpportunityID as string, changes: { Amount: 5 }, before: deal as never }]))).toHaveLength(1)
    expect(await driver.delete('Opportunity', [deal?.OpportunityID as string])).toEqual([true])
  })

  test('is told the usual scopes where HubSpot names none', async () => {
    const opening = await account((request) => (isAbout('tickets')(request) ? { status: 403, body: { status: 'error', message: 'no' } } : undefined))
    const driver = await opened(opening)
    await expect(driver.get('Case', ['1'])).rejects.toMatchObject({ code: 'forbidden', hint: expect.stringContaining('tickets') })
  })
})

describe('an account that does not tell its pipelines and properties', () => {
  const isTelling = ({ path }: WireRequest) => /\/(?:pipelines|properties)\//.test(path)

  test.for([
    ['404', ABSENT],
    ['405', { status: 405, body: '' }],
    ['something else', { status: 200, body: {} }],
    ['no pipelines', { status: 200, body: { results: [] } }],
  ] as const)('is opened with the words of a new one: %s', async ([, answer]) => {
    const driver = await opened(await account((request) => (isTelling(request) ? (answer as WireAnswer) : undefined)))
    expect(driver.supports.fields.Opportunity?.Stage?.closed).toBeUndefined()
    const deals = ['Prospecting', 'Qualification', 'Negotiation', 'Closed Won'].map((Stage) => ({ ...DEAL, Stage }))
    expect(good(await driver.create('Opportunity', deals))).toMatchObject(deals)
    const tickets = ['New', 'In Progress', 'Closed'].map((Status) => ({ ...TICKET, Status }))
    expect(good(await driver.create('Case', tickets))).toMatchObject(tickets)
    expect(good(await driver.create('Lead', [ADA]))).toMatchObject([ADA])
    expect(await driver.create('Opportunity', [{ ...DEAL, Stage: 'Nowhere' }])).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'Stage' }] }])
  })

  test('is opened where the configuration names other properties and a pipeline, too', async () => {
    const opening = await account((request) => (isTelling(request) ? ABSENT : undefined), { dealPipeline: 'default', leads: 'lead' })
    const { Case } = opening.tables
    const driver = await opened({
      ...opening,
      tables: { ...opening.tables, ...(Case && { Case: { ...Case, fields: { ...Case.fields, Kind: { name: 'hs_ticket_category', kind: 'choice' } } } }) },
    })
    expect(driver.supports.extras.Case).toHaveProperty('Kind')
    const [deal] = good(await driver.create('Opportunity', [DEAL]))
    expect(await all(driver, 'Opportunity')).toEqual([deal])
    expect(good(await driver.create('Lead', [ADA]))).toMatchObject([ADA])
  })

  test.for([
    ['unauthenticated', { status: 401, body: { status: 'error', message: 'no' } }],
    ['platform_unavailable', { status: 503, body: '' }],
  ] as const)('is not opened where it does not let anybody in, or does not answer: %s', async ([code, answer]) => {
    await expect(hubspot.open(await account((request) => (isTelling(request) ? (answer as WireAnswer) : undefined)))).rejects.toMatchObject({ code })
  })
})

describe('the scopes of a token', () => {
  const WRITING = [
    'crm.objects.contacts.write',
    'crm.objects.deals.write',
    'crm.objects.companies.write',
    'crm.lists.write',
    'crm.objects.custom.write',
    'crm.schemas.custom.write',
  ]
  const READING = WRITING.map((scope) => scope.replace('write', 'read'))
  const isInfo = ({ path }: WireRequest) => path === '/oauth/v2/private-apps/get/access-token-info' || path === '/oauth/2026-03/token/introspect'

  const scopesIn = async (opening: OpenOptions): Promise<Examined | undefined> => {
    let found: Examined | undefined
    for await (const finding of examine(opening)) if (finding.name === 'scopes') found = finding
    return found
  }
  const OAUTH = { clientId: 'simulator', clientSecret: 'simulator', refreshToken: 'simulator' }
  const told = (scopes: readonly string[]) => account((request) => (isInfo(request) ? { status: 200, body: { scopes } } : undefined))

  test.for([['a private app'], ['an app']] as const)('of %s are all there in an account in order', async ([whose]) => {
    const asked: WireRequest[] = []
    const opening = await account((request) => {
      if (isInfo(request)) asked.push(request)
      return undefined
    })
    const isPrivate = whose === 'a private app'
    expect(await scopesIn({ ...opening, ...(!isPrivate && { secrets: OAUTH }) })).toMatchObject({ good: true, text: expect.stringContaining('every scope') })
    expect(asked).toMatchObject([
      isPrivate ? { method: 'POST', body: '{"tokenKey":"simulator"}' } : { method: 'POST', body: expect.stringContaining('token_type_hint=access_token') },
    ])
  })

  test('that are missing are named, each of them', async () => {
    expect(await scopesIn(await told(READING))).toMatchObject({
      good: false,
      code: 'forbidden',
      text: `the token lacks ${[...WRITING.slice(0, 2), 'tickets', ...WRITING.slice(2)].join(', ')}`,
      todo: expect.any(String),
    })
    expect(await scopesIn(await told([...READING, ...WRITING, 'tickets']))).toMatchObject({ good: true })
  })

  test('are those of leads, too, where these are objects of their own, and may have other names', async () => {
    const opening = await told(['contacts', ...READING, ...WRITING.slice(3), 'crm.objects.tickets.read', 'crm.objects.tickets.write'])
    expect(await scopesIn(opening)).toMatchObject({ good: true })
    const options = { leads: 'lead' }
    expect(await scopesIn({ ...opening, settings: { ...opening.settings, options }, tables: hubspot.tables(options) })).toMatchObject({
      text: 'the token lacks crm.objects.leads.read, crm.objects.leads.write',
    })
  })

  test('are said to be unchecked where nobody tells them', async () => {
    const opening = await account((request) => (isInfo(request) ? ABSENT : undefined))
    for (const secrets of [opening.secrets, OAUTH])
      expect(await scopesIn({ ...opening, secrets })).toMatchObject({ good: true, text: expect.stringContaining('could not be checked') })
  })

  test('of an object that may not be seen are told with it', async () => {
    const opening = await account((request) => (isAbout('deals')(request) ? lacking('crm.objects.deals.read') : undefined))
    const findings = []
    for await (const finding of examine(opening)) if (!finding.good) findings.push(finding)
    expect(findings).toMatchObject([
      { name: 'deals', code: 'forbidden', todo: expect.stringContaining('crm.objects.deals.read') },
      { name: 'pipelines', code: 'forbidden', todo: expect.stringContaining('crm.objects.deals.read') },
    ])
  })
})

describe('a refresh token is exchanged', () => {
  const secrets = { clientId: 'simulator', clientSecret: 'simulator', refreshToken: 'simulator' }
  const exchanges = async (answer: (path: string) => WireAnswer | undefined) => {
    const asked: string[] = []
    const opening = await account(({ path }) => {
      if (!path.startsWith('/oauth/')) return undefined
      asked.push(path)
      return answer(path)
    })
    return { asked, driver: opened({ ...opening, secrets }) }
  }
  const isBefore = (path: string) => path === '/oauth/v1/token'

  test('by the present path, whatever has become of the one before', async () => {
    const { asked, driver } = await exchanges((path) => (isBefore(path) ? ABSENT : undefined))
    good(await (await driver).create('Lead', [ADA]))
    expect(asked).toEqual(['/oauth/2026-03/token'])
  })

  test.for([404, 405, 410, 403])('by the one before where there is no other: %d', async (status) => {
    const { asked, driver } = await exchanges((path) => (isBefore(path) ? undefined : { status, body: '<html></html>' }))
    good(await (await driver).create('Lead', [ADA]))
    expect(asked).toEqual(['/oauth/2026-03/token', '/oauth/v1/token'])
  })

  test.for([400, 404, 410, 426])('and what the present path says is told where the one before has ended with %d', async (status) => {
    const { driver } = await exchanges((path) => (isBefore(path) ? { status, body: { message: 'sunset' } } : { status: 404, body: { message: 'not yet' } }))
    await expect(driver).rejects.toMatchObject({ code: 'platform_unavailable', retryable: false, message: expect.stringContaining('not yet') })
  })

  test('only once where it is refused', async () => {
    const { asked, driver } = await exchanges(() => ({ status: 400, body: { status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token' } }))
    await expect(driver).rejects.toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('BAD_REFRESH_TOKEN') })
    expect(asked).toEqual(['/oauth/2026-03/token'])
  })
})
