import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { decide } from '../support/consent.ts'
import { startServer, type TestServer } from '../support/server.ts'

let simulator: Simulator
let server: TestServer

beforeAll(async () => {
  simulator = await startSimulator(simulateSalesforce)
  server = await startServer()
  return async () => {
    await server.close()
    await simulator.close()
  }
})

/** A connection that waits, and the link for the owner of its account. */
async function pending(): Promise<{ ConnectionID: string; Link: string }> {
  const Secrets = { clientId: 'simulator', clientSecret: 'simulator' }
  const { ConnectionID } = await server.call('create_connection', { Platform: 'salesforce', Address: simulator.url, SignIn: 'browser', Secrets, InUse: false })
  const { Link } = await server.call('authorize_connection', { ConnectionID })
  return { ConnectionID: String(ConnectionID), Link: String(Link) }
}

/** Presses the button of the page behind a link: where the browser goes, and the cookie that it gets. */
async function begin(link: string): Promise<{ status: number; location: string; cookie: string; flags: string }> {
  const answer = await fetch(link, { method: 'POST', redirect: 'manual' })
  const flags = answer.headers.get('set-cookie') ?? ''
  return { status: answer.status, location: answer.headers.get('location') ?? '', cookie: flags.split(';')[0] ?? '', flags }
}

const comeBack = (address: URL | string, cookie?: string) => fetch(address, { ...(cookie !== undefined && { headers: { cookie } }) })

const recordOf = async (ConnectionID: string) =>
  ((await server.call('get_many_connections', { Filters: { ConnectionID } })) as { Records: { State: string; Reason: string | null }[] }).Records[0]

const stateOf = async (ConnectionID: string) => (await recordOf(ConnectionID))?.State

test('the owner of an account opens the link, allows it at the CRM, and it is connected', async () => {
  const { ConnectionID, Link } = await pending()
  expect(Link).toMatch(new RegExp(`^${server.url}/connect/[\\w-]+$`))
  const page = await fetch(Link)
  expect([page.status, page.headers.get('cache-control'), page.headers.get('x-frame-options')]).toEqual([200, 'no-store', 'DENY'])
  expect(await page.text()).toMatch(/Connect Salesforce[\s\S]*workspace <strong>default<\/strong>[\s\S]*<button/)
  // A program that looks at the link does not use it up.
  expect((await fetch(Link)).status).toBe(200)
  const { status, location, cookie, flags } = await begin(Link)
  expect(status).toBe(303)
  expect(flags).toMatch(/; Path=\/connect; HttpOnly; SameSite=Lax; Max-Age=900$/)
  const { searchParams, origin } = new URL(location)
  expect([origin, searchParams.get('redirect_uri'), searchParams.get('code_challenge_method')]).toEqual([
    simulator.url,
    `${server.url}/connect/callback`,
    'S256',
  ])
  const back = await comeBack(await decide(location), cookie)
  expect([back.status, await back.text()]).toEqual([200, expect.stringContaining('is connected')])
  expect(await stateOf(ConnectionID)).toBe('connected')
  expect(server.log()).not.toMatch(new RegExp(`${searchParams.get('state')}|${cookie.split('=')[1]}`))
})

test('a link connects once', async () => {
  const { Link } = await pending()
  const { status, location, cookie } = await begin(Link)
  expect(status).toBe(303)
  expect((await comeBack(await decide(location), cookie)).status).toBe(200)
  for (const method of ['GET', 'POST']) {
    const again = await fetch(Link, { method, redirect: 'manual' })
    expect([again.status, await again.text()]).toEqual([404, expect.stringContaining('was used already')])
  }
  for (const wrong of ['guessed', 'A'.repeat(200), '%2e%2e%2f', `${Link.split('/').at(-1)}A`]) {
    const answer = await fetch(`${server.url}/connect/${wrong}`)
    expect(answer.status).toBe(404)
  }
})

test('a link that is open in two tabs of a browser connects in the first that comes back; the other is refused', async () => {
  const { ConnectionID, Link } = await pending()
  const [one, other] = [await begin(Link), await begin(Link)]
  expect(one.cookie.split('=')[0]).not.toBe(other.cookie.split('=')[0])
  const cookies = `${other.cookie}; ${one.cookie}`
  const [first, second] = [await decide(one.location), await decide(other.location)]
  expect((await comeBack(first, other.cookie)).status).toBe(403)
  expect((await comeBack(first, cookies)).status).toBe(200)
  const before = await recordOf(ConnectionID)
  const late = await comeBack(second, cookies)
  expect([late.status, await late.text()]).toEqual([404, expect.stringContaining('was used already')])
  expect(await recordOf(ConnectionID)).toEqual(before)
})

test('of two tabs that come back at once, one connects', async () => {
  const { ConnectionID, Link } = await pending()
  const visits = await Promise.all([begin(Link), begin(Link)])
  const backs = await Promise.all(visits.map(({ location }) => decide(location)))
  const answers = await Promise.all(backs.map((back, index) => comeBack(back, visits[index]?.cookie)))
  const statuses = answers.map(({ status }) => status).sort()
  expect([statuses[0], [404, 409].includes(statuses[1] ?? 0)]).toEqual([200, true])
  expect(await recordOf(ConnectionID)).toMatchObject({ State: 'connected', Reason: null })
})

test.for(['error=1', 'drop-after=1'])('with %s at the exchange of the code the link can be opened again, and the state cannot', async (fault) => {
  const { ConnectionID, Link } = await pending()
  const { location, cookie } = await begin(Link)
  const back = await decide(location)
  simulator.faults.add(`${fault}:/services/oauth2/token`)
  onTestFinished(() => simulator.faults.clear())
  const failed = await comeBack(back, cookie)
  expect([failed.status, await failed.text()]).toEqual([503, expect.stringContaining('Open the link again')])
  expect(await recordOf(ConnectionID)).toMatchObject({ State: 'pending', Advice: expect.stringContaining('can be opened again') })
  simulator.faults.clear()
  expect((await comeBack(back, cookie)).status).toBe(400)
  const again = await begin(Link)
  expect((await comeBack(await decide(again.location), again.cookie)).status).toBe(200)
  expect(await recordOf(ConnectionID)).toMatchObject({ State: 'connected', Reason: null })
})

test('a state of another browser, of no browser and one that was used are refused', async () => {
  const [mine, theirs] = [await pending(), await pending()]
  const [one, other] = [await begin(mine.Link), await begin(theirs.Link)]
  const back = await decide(one.location)
  for (const cookie of [undefined, other.cookie, 'crm-connect=guessed']) {
    const answer = await comeBack(back, cookie)
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('another browser')])
  }
  expect(await stateOf(mine.ConnectionID)).toBe('pending')
  // The code of one connection with the state of the other.
  const swapped = await decide(other.location)
  swapped.searchParams.set('state', new URL(one.location).searchParams.get('state') ?? '')
  const answer = await comeBack(swapped, one.cookie)
  expect(answer.status).toBe(400)
  expect([await stateOf(mine.ConnectionID), await stateOf(theirs.ConnectionID)]).toEqual(['pending', 'pending'])
  expect((await comeBack(back, one.cookie)).status).toBe(400)
  expect((await comeBack(`${server.url}/connect/callback?code=x&state=y`)).status).toBe(404)
  expect((await comeBack(`${server.url}/connect/callback`)).status).toBe(404)
})

test('a person who denies it is told that nothing has changed, and markup in what comes back is shown as text', async () => {
  const { ConnectionID, Link } = await pending()
  const { location, cookie } = await begin(Link)
  const denied = await decide(location, 'deny')
  denied.searchParams.set('error_description', '<script>alert(1)</script>')
  const answer = await comeBack(denied, cookie)
  const text = await answer.text()
  expect(answer.status).toBe(403)
  expect(text).toContain('&lt;script>alert(1)')
  expect(text).not.toContain('<script')
  expect(await stateOf(ConnectionID)).toBe('pending')
  // The admin who has sent the link sees why, and what to do.
  expect(await recordOf(ConnectionID)).toMatchObject({
    Reason: 'It was not connected: The CRM did not let us in: <script>alert(1)</script>.',
    Advice: expect.stringContaining('another link'),
  })
  const { Link: another } = await server.call('authorize_connection', { ConnectionID })
  const second = await begin(String(another))
  expect((await comeBack(await decide(second.location), second.cookie)).status).toBe(200)
  expect(await recordOf(ConnectionID)).toMatchObject({ State: 'connected', Reason: null, Advice: null })
  // Whatever comes back later, a connection that works is left as it is.
  expect((await comeBack(denied, cookie)).status).toBe(403)
  expect(await recordOf(ConnectionID)).toMatchObject({ State: 'connected', Reason: null })
})

test('a code that the CRM refuses is shown to the admin too, and a page that is loaded again changes nothing of it', async () => {
  const { ConnectionID, Link } = await pending()
  const { location, cookie } = await begin(Link)
  const back = await decide(location)
  back.searchParams.set('code', 'guessed')
  expect((await comeBack(back, 'crm-connect=another')).status).toBe(403)
  const before = await recordOf(ConnectionID)
  expect(before?.Reason).toBe('It has not been allowed in yet.')
  expect((await comeBack(back, cookie)).status).toBe(400)
  const failed = await recordOf(ConnectionID)
  expect(failed).toMatchObject({ State: 'pending', Reason: expect.stringMatching(/^It was not connected: Salesforce .*refuses/) })
  expect((await comeBack(back, cookie)).status).toBe(400)
  expect(await recordOf(ConnectionID)).toEqual(failed)
})

test('the link of an admin who may no longer administrate is worth nothing', async () => {
  const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'admin' })
  const { Key } = await server.call('create_key', { UserID, Scopes: ['admin'] })
  const { ConnectionID } = await pending()
  const response = await server.post('authorize_connection', { ConnectionID }, { authorization: `Bearer ${Key}` })
  const { Link } = (await response.json()) as { Link: string }
  await server.call('update_user', { UserID, FieldsToUpdate: { Active: false } })
  expect((await fetch(Link)).status).toBe(403)
  expect((await begin(Link)).status).toBe(403)
})

test('addresses on private networks are refused unless the configuration allows them', async () => {
  const { createAccounts } = await import('../../src/app/accounts.ts')
  const { RequestCounts } = await import('../../src/app/request-counts.ts')
  const strict = await startServer({
    wrap: (service) => ({
      ...service,
      accounts: createAccounts({ crms: {}, connectPrivate: false }, { counts: new RequestCounts(), takeFromRateLimit: service.store.takeFromRateLimit }),
    }),
  })
  onTestFinished(() => strict.close())
  for (const Address of ['https://127.0.0.1', 'https://169.254.169.254', 'http://example.com', 'https://[::1]:443', 'https://10.0.0.1']) {
    const answer = await strict.post('create_connection', { Platform: 'espocrm', Address, Secrets: { apiKey: 'x' } })
    expect([Address, await answer.json()]).toMatchObject([Address, { code: 'invalid_input', errors: [{ field: 'Address' }] }])
  }
  const option = await strict.post('create_connection', {
    Platform: 'salesforce',
    Secrets: { clientId: 'x', clientSecret: 'y' },
    Options: { loginUrl: 'https://127.0.0.1:1' },
  })
  expect(await option.json()).toMatchObject({ errors: expect.arrayContaining([expect.objectContaining({ field: 'Options.loginUrl' })]) })
})
