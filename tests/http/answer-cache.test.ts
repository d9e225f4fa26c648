import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from '../support/folder.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

/** Two servers on one store, as two processes have it. */
let [own, other]: TestServer[] = []
let lead: { readonly LeadID: string }

beforeEach(async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const open = () => openSqlite(path)
  own = await startServer({ open })
  other = await startServer({ open, key: own.key })
  for (const { close } of [own, other]) onTestFinished(close)
  const { LeadID } = await own.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  lead = { LeadID: LeadID as string }
  // Twice: the second answer is the cached one.
  for (let i = 0; i < 2; i++) await own.call('get_leads', lead)
})

const as = (key: unknown) => ({ authorization: `Bearer ${key}` })

test.each([
  ['the same process', () => own],
  ['another process', () => other],
])('an answer is made again once %s has changed the store', async (_, writer) => {
  const got = () => own?.call('get_leads', lead)
  await writer()?.call('update_lead', { ...lead, FieldsToUpdate: { LastName: 'Byron' } })
  expect(await got()).toMatchObject({ LastName: 'Byron', Revision: 2, NotesTotal: 0 })
  await writer()?.call('add_notes_to_leads', { ...lead, Note: 'Met in London.' })
  expect(await got()).toMatchObject({ NotesTotal: 1, Notes: [{ Note: 'Met in London.' }] })
  expect(await own?.call('get_many_leads', { Filters: { LastName: 'Byron' } })).toMatchObject({ Records: [lead] })
  await writer()?.call('delete_lead', lead)
  await expect(got()).rejects.toThrow('not_found')
  expect(await own?.call('get_many_leads', { Filters: { LastName: 'Byron' } })).toMatchObject({ Records: [] })
})

test('an answer has the same text and headers each time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const response = await (own as TestServer).post('get_leads', lead)
      return [response.status, response.headers.get('etag'), response.headers.get('content-type'), await response.text()]
    }),
  )
  expect(answers[0]?.slice(0, 2)).toEqual([200, '"1"'])
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
})

test('nobody gets the answer of somebody else', async () => {
  const { call, post } = own as TestServer
  const { UserID } = await call('create_user', { Name: 'Grace', Role: 'member' })
  const { Key: member } = await call('create_key', { UserID, Scopes: ['read'] })
  const { Key: writer } = await call('create_key', { Scopes: ['write'] })
  for (let i = 0; i < 2; i++) {
    await call('get_leads', lead)
    expect(await problemIn(await post('get_leads', lead, as(member)))).toMatchObject({ code: 'not_found' })
    expect(await problemIn(await post('get_leads', lead, as(writer)))).toMatchObject({ code: 'forbidden' })
    expect(await call('get_many_leads', {}, as(member))).toMatchObject({ Records: [] })
  }
  await call('update_lead', { ...lead, FieldsToUpdate: { OwnerID: UserID } })
  expect(await call('get_leads', lead, as(member))).toMatchObject(lead)
  expect(await call('get_leads', lead, as(member))).toMatchObject(lead)
  await call('update_user', { UserID, FieldsToUpdate: { Active: false } })
  expect(await problemIn(await post('get_leads', lead, as(member)))).toMatchObject({ code: 'unauthenticated' })
})

test.each([
  ['If-Match', '"1"'],
  ['Request-Timeout', 'soon'],
])('a wrong header %s is refused, whether or not the answer is cached', async (name, value) => {
  expect(await problemIn(await (own as TestServer).post('get_leads', lead, { [name]: value }))).toMatchObject({ code: 'invalid_input' })
})
