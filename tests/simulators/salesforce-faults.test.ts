import { generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { salesforce } from './salesforce-client.ts'

const { simulator, send, id } = salesforce()

const LEAD = { LastName: 'Hopper', Company: 'Navy' }

afterEach(() => simulator().faults.clear())

async function token(given: Record<string, string>) {
  const response = await fetch(`${simulator().url}/services/oauth2/token`, { method: 'POST', body: new URLSearchParams(given) })
  return { status: response.status, body: (await response.json()) as { readonly [name: string]: string } }
}

const CLIENT = { client_id: 'simulator', client_secret: 'simulator' }

describe('signing in', () => {
  it('gives a token by client credentials', async () => {
    const { status, body } = await token({ grant_type: 'client_credentials', ...CLIENT })
    expect(status).toBe(200)
    expect(body).toMatchObject({ instance_url: simulator().url, token_type: 'Bearer', id: expect.stringMatching(/\/id\/00D\w{15}\/005\w{15}$/) })
    expect(body).not.toHaveProperty('refresh_token')
    const { status: good } = await send('GET', '/limits', undefined, { authorization: `Bearer ${body.access_token}` })
    expect(good).toBe(200)
  })

  it('gives a token for an assertion, to the user it names', async () => {
    const user = await id('User', { Username: 'jwt@navy.example', LastName: 'Jwt' })
    const { privateKey } = await generateKeyPair('RS256')
    const assertion = (claims: object, exp: number | string = '3m') =>
      new SignJWT({ iss: 'simulator', sub: 'jwt@navy.example', aud: 'https://login.salesforce.com', ...claims })
        .setProtectedHeader({ alg: 'RS256' })
        .setExpirationTime(exp)
        .sign(privateKey)
    const grant = async (said: string) => token({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: said })
    const { body } = await grant(await assertion({}))
    const info = await send<never>('GET', '/services/oauth2/userinfo', undefined, { authorization: `Bearer ${body.access_token}` })
    expect(info.body).toMatchObject({ user_id: user, preferred_username: 'jwt@navy.example' })
    expect(await grant(await assertion({}, '4m'))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await grant(await assertion({}, 1))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await grant(await assertion({ aud: 'https://example.com' }))).toMatchObject({ status: 400, body: { error_description: 'audience is invalid' } })
    expect(await grant(await assertion({ iss: 'other' }))).toMatchObject({ status: 400, body: { error: 'invalid_client_id' } })
    expect(await grant('nonsense')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it.each([
    [{ grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' }, 'invalid_client_id'],
    [{ grant_type: 'client_credentials', client_id: 'simulator', client_secret: 'y' }, 'invalid_client'],
    [{ grant_type: 'password', ...CLIENT, username: 'a', password: 'b' }, 'invalid_grant'],
    [{ grant_type: 'refresh_token', ...CLIENT, refresh_token: 'x' }, 'invalid_grant'],
    [{ grant_type: 'constructor' }, 'unsupported_grant_type'],
  ])('refuses %j', async (given, error) => {
    expect(await token(given as unknown as Record<string, string>)).toEqual({ status: 400, body: { error, error_description: expect.any(String) } })
  })

  it('is asked for where there is no session', async () => {
    const wrong = [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }]
    expect(await send('GET', '/limits', undefined, { authorization: 'Bearer nothing' })).toMatchObject({ status: 401, body: wrong })
    expect(await send('GET', '/limits', undefined, { authorization: 'Basic x' })).toMatchObject({ status: 401, body: [{ errorCode: 'INVALID_AUTH_HEADER' }] })
    expect((await fetch(`${simulator().url}/services/data`)).status).toBe(200)
    expect((await fetch(`${simulator().url}/`)).status).toBe(404)
  })

  it('ends by itself after hours without a call', async () => {
    const { body } = await token({ grant_type: 'client_credentials', ...CLIENT })
    const authorization = `Bearer ${body.access_token}`
    simulator().advance(3_600_000)
    expect((await send('GET', '/limits', undefined, { authorization })).status).toBe(200)
    simulator().advance(2 * 3_600_000 + 1)
    expect((await send('GET', '/limits', undefined, { authorization })).status).toBe(401)
  })
})

describe('faults', () => {
  it('rate-limit forbids', async () => {
    simulator().faults.add('rate-limit=1x')
    expect(await send('POST', '/sobjects/Lead', LEAD)).toMatchObject({
      status: 403,
      body: [{ message: 'ConcurrentPerOrgLongTxn Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' }],
    })
    expect((await send('POST', '/sobjects/Lead', LEAD)).status).toBe(201)
  })

  it('daily-quota forbids everything, and the limits show it', async () => {
    simulator().faults.add('daily-quota=0')
    const refused = await send('GET', '/limits')
    expect(refused).toMatchObject({ status: 403, body: [{ message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' }] })
    expect(refused.headers.get('sforce-limit-info')).toMatch(/^api-usage=\d+\/0$/)
    simulator().faults.clear()
    simulator().faults.add('daily-quota=3')
    expect((await token({ grant_type: 'client_credentials', ...CLIENT })).status).toBe(200)
    const first = await send('GET', '/limits')
    expect(first.body).toMatchObject({ DailyApiRequests: { Max: 3, Remaining: 2 } })
    expect(first.headers.get('sforce-limit-info')).toBe('api-usage=1/3')
    simulator().faults.clear()
  })

  it('error fails before anything is done, error-after afterwards', async () => {
    const count = async () => (await send<{ readonly totalSize: number }>('GET', '/query?q=SELECT+COUNT()+FROM+Lead')).body.totalSize
    const before = await count()
    simulator().faults.add('error=1x:POST')
    expect(await send('POST', '/sobjects/Lead', LEAD)).toMatchObject({ status: 500, body: [{ errorCode: 'UNKNOWN_EXCEPTION' }] })
    expect(await count()).toBe(before)
    simulator().faults.add('error-after=1x:POST')
    expect((await send('POST', '/sobjects/Lead', LEAD)).status).toBe(500)
    expect(await count()).toBe(before + 1)
    simulator().faults.add('drop-after=1x:POST')
    await expect(send('POST', '/sobjects/Lead', LEAD)).rejects.toThrow()
    expect(await count()).toBe(before + 2)
  })

  it('expired-session ends the session until somebody signs in again', async () => {
    const { body } = await token({ grant_type: 'client_credentials', ...CLIENT })
    const authorization = `Bearer ${body.access_token}`
    simulator().faults.add('expired-session=1x')
    for (let time = 0; time < 3; time++) {
      expect(await send('GET', '/limits', undefined, { authorization })).toMatchObject({
        status: 401,
        body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
      })
    }
    simulator().faults.add('expired-session=1x')
    expect((await send('GET', '/limits')).status).toBe(401)
    expect((await send('GET', '/limits')).status).toBe(401)
    await token({ grant_type: 'refresh_token', ...CLIENT, refresh_token: 'simulator' })
    expect((await send('GET', '/limits')).status).toBe(200)
  })

  it('lock-row refuses writes, each of a list in its place', async () => {
    const at = await id('Lead', LEAD)
    simulator().faults.add('lock-row=1')
    expect(await send('PATCH', `/sobjects/Lead/${at}`, { Rating: 'Hot' })).toMatchObject({
      status: 500,
      body: [{ errorCode: 'UNABLE_TO_LOCK_ROW', fields: [] }],
    })
    expect(await send('PATCH', '/composite/sobjects', { records: [{ attributes: { type: 'Lead' }, id: at, Rating: 'Hot' }] })).toMatchObject({
      status: 200,
      body: [{ success: false, errors: [{ statusCode: 'UNABLE_TO_LOCK_ROW' }] }],
    })
    expect(await send('POST', '/composite/sobjects/Lead', { ids: [at], fields: ['Rating'] })).toMatchObject({ status: 200, body: [{ Rating: null }] })
    const reading = { method: 'GET', url: `/services/data/v66.0/sobjects/Lead/${at}`, referenceId: 'a' }
    expect(await send('POST', '/composite', { compositeRequest: [reading] })).toMatchObject({
      status: 200,
      body: { compositeResponse: [{ httpStatusCode: 200 }] },
    })
    expect(await send('POST', '/composite', { compositeRequest: [{ ...reading, method: 'DELETE' }] })).toMatchObject({
      status: 200,
      body: { compositeResponse: [{ httpStatusCode: 400, body: [{ errorCode: 'UNABLE_TO_LOCK_ROW' }], referenceId: 'a' }] },
    })
  })

  it('stale-cursor no longer knows where a query goes on', async () => {
    const records = Array.from({ length: 200 }, () => ({ attributes: { type: 'Account' }, Name: 'x' }))
    await send('POST', '/composite/sobjects', { records })
    await send('POST', '/composite/sobjects', { records })
    const { body } = await send<{ readonly nextRecordsUrl: string }>('GET', '/query?q=SELECT+Id+FROM+Account', undefined, {
      'sforce-query-options': 'batchSize=200',
    })
    expect((await send('GET', body.nextRecordsUrl)).status).toBe(200)
    simulator().faults.add('stale-cursor=1')
    expect(await send('GET', body.nextRecordsUrl)).toMatchObject({ status: 400, body: [{ errorCode: 'INVALID_QUERY_LOCATOR' }] })
    simulator().faults.clear()
    expect((await send('GET', body.nextRecordsUrl)).body).toMatchObject([{ errorCode: 'INVALID_QUERY_LOCATOR' }])
    expect((await send('GET', '/query/01gNONE-200')).body).toMatchObject([{ errorCode: 'INVALID_QUERY_LOCATOR' }])
  })

  it('field-security hides a field from everybody', async () => {
    const at = await id('Lead', { ...LEAD, Email: 'hidden@navy.example' })
    simulator().faults.add('field-security=lead.email')
    expect((await send('GET', `/sobjects/Lead/${at}`)).body).not.toHaveProperty('Email')
    expect(await send('GET', '/query?q=SELECT+Email+FROM+Lead')).toMatchObject({ status: 400, body: [{ errorCode: 'INVALID_FIELD' }] })
    expect(await send('GET', "/query?q=SELECT+Id+FROM+Lead+WHERE+Email='x'")).toMatchObject({ status: 400, body: [{ errorCode: 'INVALID_FIELD' }] })
    expect(await send('PATCH', `/sobjects/Lead/${at}`, { Email: 'x@navy.example' })).toMatchObject({
      status: 400,
      body: [{ errorCode: 'INVALID_FIELD_FOR_INSERT_UPDATE', fields: ['Email'] }],
    })
    const { body } = await send<{ readonly fields: readonly { readonly name: string }[] }>('GET', '/sobjects/Lead/describe')
    expect(body.fields.map(({ name }) => name)).not.toContain('Email')
    simulator().faults.clear()
    expect((await send('GET', `/sobjects/Lead/${at}`)).body).toHaveProperty('Email', 'hidden@navy.example')
  })

  it('index-lag keeps what is new from searches, and from nothing else', async () => {
    simulator().faults.add('index-lag=5s')
    await id('Lead', { ...LEAD, LastName: 'Lagging' })
    const found = async () =>
      (await send<{ readonly searchRecords: unknown[] }>('GET', `/search?q=${encodeURIComponent('FIND {lagging} RETURNING Lead(Id)')}`)).body.searchRecords
    expect(await found()).toEqual([])
    expect((await send<{ readonly totalSize: number }>('GET', "/query?q=SELECT+Id+FROM+Lead+WHERE+LastName='Lagging'")).body.totalSize).toBe(1)
    simulator().advance(6000)
    expect(await found()).toHaveLength(1)
  })

  it('malformed cuts an answer off', async () => {
    simulator().faults.add('malformed=1x')
    await expect(send('GET', '/sobjects')).rejects.toThrow(SyntaxError)
  })

  it('troubles SOAP in its own words', async () => {
    simulator().faults.add('expired-session=1x')
    const { status, body } = await send<string>('POST', '/services/Soap/m/66.0', '<a/>', { 'content-type': 'text/xml' })
    expect(status).toBe(500)
    expect(body).toContain('<faultcode>sf:INVALID_SESSION_ID</faultcode>')
    expect((await send('POST', '/services/Soap/m/66.0', 'no xml', { 'content-type': 'text/xml' })).status).toBe(500)
  })
})

it('forgets everything when it is told to', async () => {
  await id('Lead', LEAD)
  const { body } = await token({ grant_type: 'client_credentials', ...CLIENT })
  await fetch(`${simulator().url}/simulator/reset`, { method: 'POST' })
  expect((await send<{ readonly totalSize: number }>('GET', '/query?q=SELECT+Id+FROM+Lead')).body.totalSize).toBe(0)
  expect((await send('GET', '/limits', undefined, { authorization: `Bearer ${body.access_token}` })).status).toBe(401)
})
