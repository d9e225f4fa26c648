import { expect, test } from 'vitest'
import { espocrm, whereabouts } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { examine } from '../../../../src/platforms/crms/espocrm/examination.ts'
import { credentialsOf } from '../../../../src/platforms/crms/espocrm/sign-in.ts'
import { ALL, apiUser, asAdministrator, openAccount, openingOf, RIGHTS } from './account.ts'

test('what is signed is the method and the path below the API, in the newer form and then in the older', () => {
  const credentials = credentialsOf({ apiKey: 'key', secretKey: 'secret' }, '/crm/api/v1')
  const request = { method: 'GET', path: '/crm/api/v1/Lead?maxSize=5' } as const
  const shown = () => Buffer.from(credentials.headers(credentials.sign(), request)['x-hmac-authorization'] as string, 'base64')
  // printf 'GET /Lead' | openssl dgst -sha256 -hmac secret
  const hash = '5fe6de3c7a4fc1ae52668aabb77e4a6fe27e389475992b31a483d0c11353447b'
  expect(shown().toString()).toBe(`key:${hash}`)
  expect(shown()).toEqual(Buffer.concat([Buffer.from('key:'), Buffer.from(hash, 'hex')]))
})

test('an API user is let in by its key, or by what it signs', async () => {
  const account = await openAccount()
  const plain = await apiUser(account.simulator, RIGHTS)
  const signing = await apiUser(account.simulator, RIGHTS, { authMethod: 'Hmac' })
  for (const secrets of [{ apiKey: plain.apiKey }, { apiKey: signing.apiKey, secretKey: signing.secretKey }, { username: 'admin', password: 'simulator' }]) {
    const driver = await espocrm.open(openingOf(account.simulator, { secrets, path: '/crm/' }))
    expect(await driver.create('Lead', [{ FirstName: 'Ada', LastName: 'Lovelace' }])).toMatchObject([{ LastName: 'Lovelace' }])
    expect((await driver.find('Lead', { where: [{ field: 'LastName', family: 'text', operator: 'eq', value: 'a b' }], size: 5 })).records).toEqual([])
    await driver.ping()
    await driver.close()
  }
  await account.close()
})

test('whoever is not let in is told what to check, and no secret is in any message', async () => {
  const account = await openAccount()
  const { apiKey } = await apiUser(account.simulator, RIGHTS, { authMethod: 'Hmac' })
  for (const secrets of [{ apiKey: 'wrong-secret' }, { apiKey, secretKey: 'wrong-secret' }, { apiKey }, { username: 'admin', password: 'wrong-secret' }, {}]) {
    const failed = await espocrm
      .open(openingOf(account.simulator, { secrets }))
      .catch((error: unknown) => error as { code: string; hint: string; message: string })
    expect(failed).toMatchObject({ code: 'unauthenticated', hint: expect.any(String) })
    expect(JSON.stringify([(failed as unknown as Error).message, failed])).not.toContain('wrong-secret')
  }
  await account.close()
})

test('a key that is refused in passing is shown once more', async () => {
  const account = await openAccount()
  account.simulator.faults.add('expired-session=1x')
  expect(await account.driver.create('Lead', [{ FirstName: 'Ada', LastName: 'Lovelace' }])).toMatchObject([{ LastName: 'Lovelace' }])
  await account.close()
})

test('failures of the server are told apart by whether anything can have happened', async () => {
  const account = await openAccount()
  account.simulator.faults.add('error=1x')
  await expect(account.driver.find('Lead', { where: [], size: 1 })).rejects.toMatchObject({ code: 'platform_unavailable', retryable: true })
  account.simulator.faults.add('error-after=1x')
  expect(await account.driver.create('Lead', [{ FirstName: 'Ada', LastName: 'Lovelace' }])).toMatchObject([{ code: 'outcome_unknown', unknown: 'open' }])
  account.simulator.faults.add('rate-limit=1x')
  expect(await account.driver.create('Lead', [{ FirstName: 'Ada', LastName: 'Lovelace' }])).toMatchObject([
    { code: 'rate_limited', retryable: true, retryAfterMs: 1000 },
  ])
  account.simulator.faults.add('malformed=1x')
  await expect(account.driver.find('Lead', { where: [], size: 1 })).rejects.toMatchObject({ code: 'platform_unavailable', retryable: true })
  expect(await asAdministrator(account.simulator, 'GET', 'Lead')).toMatchObject({ total: 1 })
  await account.close()
})

test('the address may name a folder, and must be one', () => {
  expect(whereabouts('https://crm.example.com')).toEqual({ origin: 'https://crm.example.com', base: '/api/v1' })
  expect(whereabouts('https://example.com/crm/')).toEqual({ origin: 'https://example.com', base: '/crm/api/v1' })
  expect(whereabouts('http://localhost:8080/api/v1')).toEqual({ origin: 'http://localhost:8080', base: '/api/v1' })
  for (const wrong of ['', 'crm.example.com', 'ftp://x', 'https://user:secret@x', 'https://x?y']) expect(() => whereabouts(wrong)).toThrow(/address/)
})

async function findings(opening: Parameters<typeof examine>[0]) {
  const found: { name: string; good: boolean; text: string; todo?: string }[] = []
  for await (const one of examine(opening)) found.push(one)
  return found
}

test('an examination finds nothing wrong where nothing is', async () => {
  const account = await openAccount()
  const { apiKey } = await apiUser(account.simulator, RIGHTS, { assignmentPermission: 'all' })
  const found = await findings(openingOf(account.simulator, { secrets: { apiKey } }))
  expect(found.filter(({ good }) => !good)).toEqual([])
  expect(found.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Sign-in', 'Version', 'Rights on Lead', 'Fields of Lead', 'Owners', 'Custom objects', 'Quota']),
  )
  await account.close()
})

test('an examination names what is missing, each with what to do', async () => {
  const account = await openAccount()
  const { apiKey } = await apiUser(account.simulator, { Lead: { ...ALL, stream: 'no' }, Opportunity: ALL, Case: ALL, Campaign: ALL })
  const tables = { Lead: { fields: { Region: { name: 'cRegion', kind: 'text' } } } }
  const wrong = (await findings(openingOf(account.simulator, { secrets: { apiKey }, tables }))).filter(({ good }) => !good)
  expect(wrong.map(({ name, text }) => `${name}: ${text}`)).toEqual(
    expect.arrayContaining([
      'Rights on Lead: The API user may not stream Lead.',
      'Rights on TargetList: The API user may not create, read, edit TargetList.',
      'Fields of Lead: EspoCRM does not have Lead.cRegion (for Lead.Region).',
    ]),
  )
  for (const { todo } of wrong) expect(todo).toMatch(/\w/)
  const [refused] = await findings(openingOf(account.simulator, { secrets: { apiKey: 'wrong' } }))
  expect(refused).toMatchObject({ good: false, todo: expect.stringContaining('API key') })
  await account.close()
})
