import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import type { Examined } from '../../../../src/platforms/crms/engine/kind.ts'
import { examine as examineHubSpot } from '../../../../src/platforms/crms/hubspot/examination.ts'
import { examine as examineSalesforce } from '../../../../src/platforms/crms/salesforce/examination.ts'
import { reach } from '../../../../src/platforms/crms/salesforce/salesforce.ts'
import { createSoap } from '../../../../src/platforms/crms/salesforce/soap.ts'
import { HUBSPOT, readWith, retry, SALESFORCE, startAccount } from './account.ts'
import { MemoryTokens } from './token-store.ts'

const WAITED = { timeout: 60_000 }

describe.each([SALESFORCE, HUBSPOT])('an account of $name was authorized in a browser', (crm) => {
  const read = readWith(crm)

  test('and its access token is renewed when it is refused, by one request for all', async () => {
    const account = await startAccount(crm)
    const store = new MemoryTokens(await account.authorize(), 20)
    const one = await account.open({ tokens: store })
    const other = await account.open({ tokens: store })
    account.simulator.simulated.tokens?.expire()
    await Promise.all([one, one, other, other].map(read))
    expect(account.renewals()).toBe(1)
    // The other may have idled with a token before the one before.
    for (const _ of [1, 2]) {
      account.simulator.simulated.tokens?.expire()
      await read(one)
    }
    account.simulator.simulated.tokens?.expire()
    await read(other)
    expect(account.renewals()).toBe(4)
  })

  test.each([0, 30])('and no refresh token is used twice where each is replaced, with a store that takes %d ms', async (delayMs) => {
    const account = await startAccount(crm)
    account.simulator.faults.add('rotation')
    const store = new MemoryTokens(await account.authorize(), delayMs)
    const reports: (Error | undefined)[] = []
    const drivers = await Promise.all(Array.from({ length: 3 }, () => account.open({ tokens: store, onSignIn: (refusal) => reports.push(refusal) })))
    for (let round = 0; round < 5; round++) {
      account.simulator.simulated.tokens?.expire()
      await Promise.all([...drivers, ...drivers].map(read))
    }
    expect(account.uses()).toEqual([1, 1, 1, 1, 1, 0])
    expect(store.history).toEqual(account.simulator.simulated.tokens?.list().map(({ token }) => token))
    expect(reports).toEqual([undefined, undefined, undefined])
  })

  test('and a refresh token that was stolen and used ends it, too', async () => {
    const account = await startAccount(crm)
    account.simulator.faults.add('rotation')
    const onSignIn = vi.fn()
    const tokens = await account.authorize()
    const store = new MemoryTokens(tokens)
    const driver = await account.open({ tokens: store, onSignIn })
    const form = { grant_type: 'refresh_token', refresh_token: `${tokens.refreshToken}`, client_id: 'simulator', client_secret: 'simulator' }
    await fetch(`${account.simulator.url}${crm.tokenPath}`, { method: 'POST', body: new URLSearchParams(form) })
    account.simulator.simulated.tokens?.expire()
    await expect(read(driver)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(onSignIn.mock.lastCall).toEqual([expect.any(DriverError)])
    expect(account.simulator.simulated.tokens?.list().every(({ valid }) => !valid)).toBe(true)
  })

  test.each(['error=1', 'rate-limit=1', 'drop-before=1', 'slow=3s', 'malformed=1'])(
    'while an error of the token endpoint that passes is no refusal: %s',
    async (fault) => {
      const account = await startAccount(crm)
      const onSignIn = vi.fn()
      const driver = await account.open({
        tokens: new MemoryTokens(await account.authorize()),
        onSignIn,
        settings: { quotaFloor: 0, timeoutMs: fault.startsWith('slow') ? 1_000 : 5_000, options: {} },
      })
      account.simulator.simulated.tokens?.expire()
      account.simulator.faults.add(`${fault}:${crm.tokenPath}`)
      const error = await read(driver).catch((wrong: unknown) => wrong)
      expect(['platform_unavailable', 'rate_limited']).toContain((error as DriverError).code)
      account.simulator.faults.clear()
      // A loaded machine may be slower than that, too.
      await vi.waitFor(() => read(driver), WAITED)
      expect(onSignIn.mock.calls).toEqual([[undefined]])
    },
  )
})

test('what Salesforce offers by SOAP alone is renewed like everything else, also where the stored token has ended, too', async () => {
  const account = await startAccount(SALESFORCE)
  const tokens = new MemoryTokens(await account.authorize())
  const reached = () => {
    const one = reach(account.opening({ tokens }), () => undefined)
    onTestFinished(() => one.connection.close())
    const soap = createSoap({ ...one, retry })
    return { get: () => one.session.get(), whoAmI: () => soap('u', whoAmI, (text) => /<userId>(.*?)</.exec(text)?.[1], true) }
  }
  const [one, other] = [reached(), reached()]
  await other.get()
  for (const _ of [1, 2]) {
    account.simulator.simulated.tokens?.expire()
    expect(await one.whoAmI()).toMatch(/^005/)
  }
  account.simulator.simulated.tokens?.expire()
  expect(await other.whoAmI()).toMatch(/^005/)
  expect(account.renewals()).toBe(3)
  account.simulator.simulated.tokens?.revoke()
  await expect(other.whoAmI()).rejects.toMatchObject({ code: 'unauthenticated' })
})

const whoAmI = (token: string) =>
  `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:u="urn:partner.soap.sforce.com"><soapenv:Header><u:SessionHeader><u:sessionId>${token}</u:sessionId></u:SessionHeader></soapenv:Header><soapenv:Body><u:getUserInfo/></soapenv:Body></soapenv:Envelope>`

test.each([
  [SALESFORCE, examineSalesforce],
  [HUBSPOT, examineHubSpot],
] as const)('an examination of an account of $name finds nothing missing', async (crm, examine) => {
  const account = await startAccount(crm)
  const store = new MemoryTokens(await account.authorize())
  const found: Examined[] = []
  // A service key that is given beside is not what we sign in with.
  for await (const one of examine(account.opening({ tokens: store, secrets: { ...account.opening().secrets, token: 'simulator' } }))) found.push(one)
  expect(found.filter(({ good, unchecked }) => !good || unchecked)).toEqual([])
  expect(found.find(({ name }) => name === 'sign-in')).toMatchObject({ good: true })
  account.simulator.simulated.tokens?.revoke()
  const after: Examined[] = []
  for await (const one of examine(account.opening({ tokens: store }))) after.push(one)
  expect(after[0]).toMatchObject({ name: 'sign-in', good: false, code: 'unauthenticated', todo: expect.any(String) })
})
