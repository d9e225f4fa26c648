import { expect, test } from 'vitest'
import { problemIn, serverForTest, type TestServer } from '../support/server.ts'
import { STORES } from '../support/stores.ts'

interface View {
  readonly ViewID: string
  readonly Name: string
  readonly Shared: boolean
  readonly Editable: boolean
}

const viewsOf = ({ url, key: admin }: TestServer) => {
  const ask = (path = '', body?: unknown, key = admin) =>
    fetch(`${url}/v1/views${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  return {
    ask,
    async done(path: string, body: unknown, key?: string) {
      const response = await ask(path, body, key)
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      return (await response.json()) as View
    },
    async list(key?: string) {
      const response = await ask('', undefined, key)
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      return ((await response.json()) as { Views: readonly View[] }).Views
    },
    async refused(path: string, body: unknown, key?: string) {
      const { code, detail, errors } = await problemIn(await ask(path, body, key))
      return { code, detail, fields: errors?.map(({ field }) => field) }
    },
  }
}

/** A user of the workspace, and a key of theirs. */
async function userOf({ call }: TestServer, Name: string, Scopes = ['read', 'write']) {
  const { UserID } = await call('create_user', { Name, Role: 'member' })
  return String((await call('create_key', { UserID, Scopes })).Key)
}

const OPEN = { RecordType: 'Lead', Name: 'Open', Query: 'where=%7B%22Status%22%3A%22New%22%7D' }

test.each(STORES)('views on $platform are their maker’s until they are shared, and then those of the team', async ({ open }) => {
  const server = await serverForTest({ open })
  const { ask, done, list, refused } = viewsOf(server)
  const [ada, bob] = [await userOf(server, 'Ada'), await userOf(server, 'Bob')]
  const { ViewID } = await done('', OPEN, ada)
  const names = async (key?: string) => (await list(key)).map(({ Name, Shared, Editable }) => [Name, Shared, Editable])
  expect([await names(ada), await names(bob), await names()]).toEqual([[['Open', false, true]], [], []])
  expect(await refused(`/${ViewID}`, { Name: 'Mine' }, bob)).toMatchObject({ code: 'not_found' })

  await done(`/${ViewID}`, { Shared: true, Name: ' Open ones ' }, ada)
  expect([await names(ada), await names(bob), await names()]).toEqual([[['Open ones', true, true]], [['Open ones', true, false]], [['Open ones', true, true]]])
  for (const [path, body] of [
    [`/${ViewID}`, { Name: 'Mine' }],
    [`/${ViewID}`, { Shared: false }],
    [`/${ViewID}/delete`, {}],
  ] as const)
    expect(await refused(path, body, bob)).toMatchObject({ code: 'forbidden' })
  const readOnlyAdmin = String((await server.call('create_key', { Scopes: ['read'] })).Key)
  expect(await refused(`/${ViewID}/delete`, {}, readOnlyAdmin)).toMatchObject({ code: 'forbidden' })

  // An admin ends the sharing of another's view, which is its maker's again.
  await done(`/${ViewID}`, { Shared: false })
  expect([await names(ada), await names()]).toEqual([[['Open ones', false, true]], []])
  await done(`/${ViewID}`, { Shared: true, Query: '' }, ada)
  await done(`/${ViewID}/delete`, {})
  expect([await names(ada), await names(bob)]).toEqual([[], []])
  expect((await ask('', undefined, 'wrong')).status).toBe(401)
})

test.each(STORES)('as many views on $platform as there may be, made at the same time, are all there', async ({ open }) => {
  const server = await serverForTest({ open })
  const { ask, list, refused } = viewsOf(server)
  const made = await Promise.all(Array.from({ length: 53 }, (_, nth) => ask('', { ...OPEN, Name: `View ${nth}`, Shared: true })))
  expect(made.filter(({ status }) => status === 200)).toHaveLength(50)
  expect(await list()).toHaveLength(50)
  expect(await refused('', { ...OPEN, Name: 'One more', Shared: true })).toEqual({
    code: 'conflict',
    detail: 'A workspace shares at most 50 views.',
    fields: ['Shared'],
  })
  expect((await ask('', OPEN)).status).toBe(200)
})

test('a key sees no views of record types that it may not read', async () => {
  const server = await serverForTest()
  const { ask, done, list, refused } = viewsOf(server)
  const { ViewID } = await done('', { ...OPEN, Shared: true })
  await done('', { RecordType: 'CustomObject', ObjectName: 'Boat', Name: 'Long', Query: '', Shared: true })
  const key = await userOf(server, 'Cay', ['read:Case'])
  expect(await list(key)).toEqual([])
  expect(await refused('', OPEN, key)).toMatchObject({ code: 'forbidden', detail: 'This key may not read records of the type Lead.' })
  expect(await refused(`/${ViewID}/delete`, {}, key)).toMatchObject({ code: 'not_found' })
  expect((await ask('', { RecordType: 'Case', Name: 'Late', Query: '' }, key)).status).toBe(200)
  const { Key } = await server.call('create_workspace', { Name: 'acme' })
  expect(await list(String(Key))).toEqual([])
})

test('a view that is not one is refused with what is wrong with it', async () => {
  const { done, refused } = viewsOf(await serverForTest())
  for (const [body, fields] of [
    [{}, ['RecordType', 'Name', 'Query']],
    [{ ...OPEN, RecordType: 'Lea' }, ['RecordType']],
    [{ ...OPEN, RecordType: 'User' }, ['RecordType']],
    [{ ...OPEN, RecordType: 'CustomObject' }, ['ObjectName']],
    [{ ...OPEN, ObjectName: 'Boat' }, ['ObjectName']],
    [{ ...OPEN, Name: '  ' }, ['Name']],
    [{ ...OPEN, Name: 'x'.repeat(81), Query: 1, Shared: 'yes' }, ['Name', 'Query', 'Shared']],
    [{ ...OPEN, Query: 'x'.repeat(4001) }, ['Query']],
    [{ ...OPEN, OwnerID: 'x' }, ['OwnerID']],
    ['[]', undefined],
  ] as const)
    expect(await refused('', body)).toMatchObject({ code: 'invalid_input', ...(fields && { fields }) })
  const { ViewID } = await done('', OPEN)
  expect(await refused(`/${ViewID}`, { RecordType: 'Case' })).toMatchObject({ code: 'invalid_input', fields: ['RecordType'] })
  expect(await refused('', { ...OPEN, Name: 'oPEN' })).toMatchObject({ code: 'conflict', fields: ['Name'] })
  await done('', { ...OPEN, RecordType: 'Case' })
  expect(await refused('', '{"Name":')).toMatchObject({ code: 'invalid_input' })
})
