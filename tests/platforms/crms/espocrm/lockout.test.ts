import { expect, test } from 'vitest'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { examine } from '../../../../src/platforms/crms/espocrm/examination.ts'
import { apiUser, openAccount, openingOf, RIGHTS } from './account.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

test('a wrong password of the administrator is told as that, and does not lock out the API key', async () => {
  const account = await openAccount()
  const { apiKey } = await apiUser(account.simulator, RIGHTS, { assignmentPermission: 'all' })
  const opening = openingOf(account.simulator, { secrets: { apiKey, username: 'admin', password: 'wrong' } })
  const driver = await espocrm.open(opening)
  const refusal = { code: 'unauthenticated', message: expect.stringContaining('administrator'), hint: expect.stringContaining('username and password') }
  await Promise.all(Array.from({ length: 30 }, () => expect(driver.definitions()).rejects.toMatchObject(refusal)))
  for (let again = 0; again < 30; again++) await expect(driver.objects()).rejects.toMatchObject(refusal)
  expect(await driver.create('Lead', [ADA])).toMatchObject([ADA])
  const found = []
  for await (const one of examine(opening)) if (!one.good) found.push(one)
  expect(found).toMatchObject([{ name: 'Custom objects', todo: refusal.hint }])
  await driver.close()
  await account.close()
})

test('a wrong API key is shown twice, however much is asked with it', async () => {
  const account = await openAccount()
  for (let attempt = 1; attempt <= 5; attempt++)
    await expect(espocrm.open(openingOf(account.simulator, { secrets: { apiKey: 'wrong' } }))).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(await account.driver.create('Lead', [ADA])).toMatchObject([ADA])
  await account.close()
})

test('a key that ends while the service runs is let in again when it is good again', async () => {
  const account = await openAccount()
  const { apiKey, id } = await apiUser(account.simulator, RIGHTS)
  const driver = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
  await account.ask('PUT', `User/${id}`, { isActive: false })
  expect(await driver.create('Lead', [ADA])).toMatchObject([{ code: 'unauthenticated' }])
  await account.ask('PUT', `User/${id}`, { isActive: true })
  expect(await driver.create('Lead', [ADA])).toMatchObject([ADA])
  await driver.close()
  await account.close()
})

test('a lockout passes, and is not a right that is missing', async () => {
  const account = await openAccount()
  const wrong = { headers: { 'x-api-key': 'wrong' } }
  for (let attempt = 1; attempt <= 11; attempt++) await fetch(`${account.simulator.url}/api/v1/Lead`, wrong)
  expect(await account.driver.create('Lead', [ADA])).toMatchObject([{ code: 'platform_unavailable', retryable: true, retryAfterMs: 60_000 }])
  account.simulator.advance(61_000)
  expect(await account.driver.create('Lead', [ADA])).toMatchObject([ADA])
  await account.close()
})
