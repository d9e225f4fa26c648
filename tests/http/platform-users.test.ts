import { expect, test } from 'vitest'
import { problemIn, serverForTest } from '../support/server.ts'

test('the users of a CRM are none where records are in the store, and only for keys that may read users', async () => {
  const { url, key, call } = await serverForTest()
  const ask = (authorization?: string) => fetch(`${url}/v1/platform-users`, { headers: authorization === undefined ? {} : { authorization } })
  const answered = await ask(`Bearer ${key}`)
  expect([answered.status, answered.headers.get('cache-control'), await answered.json()]).toEqual([200, 'no-store', { Users: [] }])
  const { Key } = await call('create_key', { Scopes: ['read:Lead'] })
  expect(await problemIn(await ask(`Bearer ${Key}`))).toMatchObject({ code: 'forbidden' })
  expect(await problemIn(await ask())).toMatchObject({ code: 'unauthenticated' })
})
