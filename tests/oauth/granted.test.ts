import { expect, test } from 'vitest'
import { grantedCode, grantedTokens, postForm, register } from '../support/oauth.ts'
import { serverForTest, type TestServer } from '../support/server.ts'

type Person = Pick<TestServer, 'url' | 'key'>

async function member(server: TestServer, Name: string, Scopes = ['read', 'write', 'delete']): Promise<Person & { readonly UserID: string }> {
  const { UserID } = await server.call('create_user', { Name, Role: 'member' })
  const { Key } = await server.call('create_key', { UserID, Scopes })
  return { url: server.url, key: Key as string, UserID: UserID as string }
}

async function post({ url, key }: Person, path: string, body: object = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as { Granted: { KeyID: string; Client: string }[]; code: string } }
}

const granted = async (person: Person) => (await post(person, '/oauth/granted')).body.Granted
const withdraw = (person: Person, KeyID: unknown) => post(person, '/oauth/withdraw', { KeyID })

test('a member sees what they have granted, and withdraws it at once', async () => {
  const server = await serverForTest()
  const [grace, ada] = [await member(server, 'Grace'), await member(server, 'Ada')]
  const { client_id } = await register(server, { client_name: 'Sales agent' })
  const tokens = await grantedTokens(grace, client_id, { resource: `${server.url}/mcp` }, { Scopes: ['read'], Confirm: true })
  const [one, ...others] = await granted(grace)
  expect([one, others]).toMatchObject([{ Client: 'Sales agent', Resource: `${server.url}/mcp`, Scopes: ['read'], Confirm: true }, []])
  expect(JSON.stringify(one)).not.toMatch(/digest|crm_/i)
  expect(await granted(ada)).toEqual([])

  const KeyID = one?.KeyID
  expect(await withdraw(ada, KeyID)).toMatchObject({ status: 404 })
  expect(await withdraw({ ...server }, KeyID)).toMatchObject({ status: 404 })
  expect(await withdraw(grace, KeyID)).toMatchObject({ status: 200 })
  expect(await withdraw(grace, KeyID)).toMatchObject({ status: 200 })
  expect(await granted(grace)).toEqual([])
  const refresh = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
  expect(await postForm(server, '/oauth/token', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const { Records } = await server.call('get_many_changes', { Filters: { RecordID: KeyID, EventType: 'key.revoked' } })
  expect(Records).toMatchObject([{ UserID: grace.UserID, Operation: 'revoke_key' }])
})

test('only what was granted is listed and withdrawn: neither keys, nor what a program got for its key', async () => {
  const server = await serverForTest()
  const { KeyID, Key } = await server.call('create_key', { Scopes: ['read'] })
  await postForm(server, '/oauth/token', { grant_type: 'client_credentials', client_id: KeyID as string, client_secret: Key as string })
  expect(await granted(server)).toEqual([])
  expect(await withdraw(server, KeyID)).toMatchObject({ status: 404 })
  expect(await withdraw(server, 5)).toMatchObject({ status: 400 })
  expect((await server.post('get_current_user', {}, { authorization: `Bearer ${Key}` })).status).toBe(200)
})

test('a code that was not redeemed in time granted nothing', async () => {
  let ahead = 0
  const server = await serverForTest({ wrap: (service) => ({ ...service, now: () => new Date(Date.now() + ahead) }) })
  const { client_id } = await register(server)
  await grantedCode(server, client_id)
  expect(await granted(server)).toHaveLength(1)
  ahead = 60_000
  expect(await granted(server)).toEqual([])
})

test('neither a token nor a key that allows less withdraws', async () => {
  const server = await serverForTest()
  const grace = await member(server, 'Grace')
  const { Key } = await server.call('create_key', { UserID: grace.UserID, Scopes: ['read'] })
  const { client_id } = await register(server)
  const { access_token } = await grantedTokens(grace, client_id)
  const [one] = await granted(grace)
  expect(await withdraw({ ...grace, key: Key as string }, one?.KeyID)).toMatchObject({ status: 403 })
  for (const path of ['/oauth/granted', '/oauth/withdraw'])
    expect(await post({ ...grace, key: access_token }, path, { KeyID: one?.KeyID })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect((await fetch(`${server.url}/oauth/granted`, { method: 'POST', body: '{}' })).status).toBe(401)
  expect(await granted(grace)).toHaveLength(1)
})
