import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Crm, clientOf } from '../../src/contract/client/client.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { erase, startErasing } from '../../src/core/journal/erasing.ts'
import { createService, type Service } from '../../src/core/service.ts'
import { PLACES, type Place } from '../support/places.ts'

interface Running {
  readonly service: Service
  readonly operator: Crm
  as(key: string): Crm
}

async function running(place: Place, key?: string): Promise<Running & { readonly key: string }> {
  const store = await place.open()
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  const made = (await bootstrap(service)).key ?? key ?? ''
  const authenticate = createAuthenticator(service)
  const as = (one: string) => clientOf(inProcessTransport(service, () => authenticate(one)))
  return { service, operator: as(made), as, key: made }
}

const refusal = async (call: Promise<unknown>): Promise<CrmError> =>
  call.then(
    () => {
      throw new Error('It was not refused.')
    },
    (error) => {
      expect(error).toBeInstanceOf(CrmError)
      return error
    },
  )

/** Deletes a workspace by its plan, and resolves to what the plan shows. */
async function deleted({ operator }: Running, WorkspaceID: string): Promise<unknown> {
  const [{ Name } = { Name: '' }] = (await operator.workspaces.getMany({ Filters: { WorkspaceID } })).Records
  expect(await refusal(operator.workspaces.delete({ WorkspaceID, Name: 'another' }))).toMatchObject({ code: 'conflict', errors: [{ field: 'Name' }] })
  const { plan } = await refusal(operator.workspaces.delete({ WorkspaceID, Name }))
  const answer = await operator.workspaces.delete({ WorkspaceID, Name }, { confirmation: plan?.Token ?? '' })
  expect(answer).toMatchObject({ WorkspaceID, State: 'deleting' })
  return plan?.Preview
}

const ADA = { FirstName: 'Ada', LastName: 'Lovelace-4711' }

describe.each(Object.entries(PLACES))('%s', (_, placed) => {
  test('a workspace comes with its first admin, whose key is shown once, and which is no operator', async () => {
    const { operator, as, service } = await running(await placed())
    const input = { Name: 'acme', AdminName: 'Ada', AdminEmail: 'ada@acme.example', MaxUsers: 2 }
    const made = await operator.workspaces.create(input, { idempotencyKey: 'make-acme' })
    expect(made).toMatchObject({ Name: 'acme', State: 'active', MaxUsers: 2, CallsPerMinute: null, Key: expect.stringMatching(/^crm_/) })
    expect(made).not.toHaveProperty('Number')
    expect(await operator.workspaces.create(input, { idempotencyKey: 'make-acme' })).toMatchObject({
      WorkspaceID: made.WorkspaceID,
      Key: null,
      Hint: expect.any(String),
    })

    const acme = as(made.Key)
    expect(await acme.users.getCurrent()).toMatchObject({ Workspace: 'acme', UserID: made.UserID, Name: 'Ada', Email: 'ada@acme.example', Role: 'admin' })
    expect((await acme.users.getCurrent()).Scopes).not.toContain('operator')
    const { WorkspaceID } = made
    for (const call of [
      () => acme.workspaces.getMany({}),
      () => acme.workspaces.create({ Name: 'mine' }),
      () => acme.workspaces.delete({ WorkspaceID, Name: 'acme' }),
    ])
      expect(await refusal(call())).toMatchObject({ code: 'forbidden', message: expect.stringContaining('operators') })
    expect(await refusal(acme.keys.create({ Scopes: ['operator'] }))).toMatchObject({ code: 'forbidden' })
    // Not even where the store has been given one.
    await service.store.write((await service.store.workspace('acme'))?.number ?? 0, async (writer) => {
      const [key] = (await writer.find('Key', { where: [], order: { field: 'KeyID', descending: false }, limit: 1 })).records
      await writer.update('Key', key?.KeyID as string, { Scopes: ['operator', 'read'] })
    })
    await vi.waitFor(async () => expect((await acme.users.getCurrent()).Scopes).toEqual(['read']), 60_000)
  })

  test('workspaces are listed by page, filter and order, with nothing of what is in them', async () => {
    const { operator } = await running(await placed())
    for (const Name of ['b', 'a', 'c']) await operator.workspaces.create({ Name })
    const first = await operator.workspaces.getMany({ OrderBy: 'Name', Limit: 2 })
    expect(first.Records.map(({ Name }) => Name)).toEqual(['a', 'b'])
    const rest = await operator.workspaces.getMany({ OrderBy: 'Name', Limit: 2, Cursor: first.NextCursor })
    expect(rest.Records.map(({ Name }) => Name)).toEqual(['c', 'default'])
    expect((await operator.workspaces.getMany({ Filters: { Name: { startsWith: 'de' } } })).Records).toMatchObject([{ Name: 'default', State: 'active' }])
    const types = (await operator.changes.getMany({ Filters: { RecordType: 'Workspace' } })).Records
    expect(types).toHaveLength(3)
  })

  test('a workspace cannot be called just anything', async () => {
    const { operator, service } = await running(await placed())
    for (const Name of ['Acme', '', 'two words', '../x', 'müller', '\u0430cme', 'a\u200bb', '-a', 'x'.repeat(81)])
      expect(await refusal(operator.workspaces.create({ Name }))).toMatchObject({ code: 'invalid_input', errors: [{ field: 'Name' }] })
    expect(await refusal(operator.workspaces.create({ Name: 'Acme' }))).toMatchObject({ errors: [{ didYouMean: 'acme' }] })
    expect(await refusal(operator.workspaces.create({ Name: 'default' }))).toMatchObject({ code: 'conflict', errors: [{ field: 'Name' }] })
    expect(await service.store.workspaces()).toHaveLength(1)
  })

  test('of several that create one name at the same time, in two processes, one succeeds', async () => {
    const place = await placed()
    const one = await running(place)
    const other = await running(place, one.key)
    const ends = await Promise.allSettled([one, other, one, other, one].map(({ operator }) => operator.workspaces.create({ Name: 'acme' })))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'conflict' })
    expect((await one.service.store.workspaces()).map(({ number, name }) => [number, name])).toEqual([
      [1, 'default'],
      [2, 'acme'],
    ])
  })

  test('a paused workspace is refused in all processes within a second, and goes on as it was', async () => {
    const place = await placed()
    const one = await running(place)
    const other = await running(place, one.key)
    const { WorkspaceID, Key } = await one.operator.workspaces.create({ Name: 'acme' })
    const { LeadID } = await other.as(Key).leads.create(ADA)
    const events = other.as(Key).events.follow()
    const ending = (async () => {
      for await (const _ of events);
    })()
    const ended = refusal(ending)

    expect(await one.operator.workspaces.pause({ WorkspaceID })).toMatchObject({ State: 'paused' })
    expect(await refusal(one.as(Key).leads.get({ LeadID }))).toMatchObject({ code: 'forbidden', message: 'The workspace acme is paused.' })
    await vi.waitFor(async () => expect(await refusal(other.as(Key).leads.get({ LeadID }))).toMatchObject({ code: 'forbidden' }), { timeout: 60_000 })
    expect(await ended).toMatchObject({ code: 'forbidden', message: 'The workspace acme is paused.' })
    expect(await one.operator.workspaces.pause({ WorkspaceID })).toMatchObject({ State: 'paused', Revision: 2 })

    expect(await one.operator.workspaces.resume({ WorkspaceID })).toMatchObject({ State: 'active' })
    await vi.waitFor(async () => expect(await other.as(Key).leads.get({ LeadID })).toMatchObject(ADA), { timeout: 60_000 })
    const kinds = (await one.operator.changes.getMany({ Filters: { RecordID: WorkspaceID }, OrderBy: 'At asc' })).Records.map(({ EventType }) => EventType)
    expect(kinds).toEqual(['workspace.created', 'workspace.paused', 'workspace.resumed'])
  })

  test('the first workspace is neither paused nor deleted', async () => {
    const { operator } = await running(await placed())
    const [{ WorkspaceID } = { WorkspaceID: '' }] = (await operator.workspaces.getMany({})).Records
    for (const call of [() => operator.workspaces.pause({ WorkspaceID }), () => operator.workspaces.delete({ WorkspaceID, Name: 'default' })])
      expect(await refusal(call())).toMatchObject({ code: 'conflict', message: expect.stringContaining('"default" cannot be') })
  })

  test('a deleted workspace is erased by plan while it is used, leaves nothing, and its name can be used again', async () => {
    const place = await placed()
    const one = await running(place)
    const { operator, as, service } = one
    const { WorkspaceID, Key } = await operator.workspaces.create({ Name: 'acme', AdminName: 'Secret-8822' })
    const acme = as(Key)
    const kept = await operator.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
    for (let i = 0; i < 3; i++) await acme.leads.create({ ...ADA, Email: `ada-${i}@lovelace-4711.example` }, { idempotencyKey: `key-4711-${i}` })
    await acme.customObjects.create({ ObjectName: 'Boat', Fields: { Keel: { Type: 'String', Label: 'Keel', Value: 'Keel-4711' } } })
    expect((await acme.search({ Text: 'Lovelace' })).Records.length).toBeGreaterThan(0)
    expect(await place.has('4711')).toBe(true)

    let calls = 0
    let over = false
    const writing = (async () => {
      for (;;) {
        await acme.leads.create(ADA)
        calls++
      }
    })().catch((error) => {
      over = true
      expect(error).toMatchObject({ code: 'forbidden' })
    })
    await vi.waitFor(() => expect(calls).toBeGreaterThan(2), 60_000)
    const preview = await deleted(one, WorkspaceID)
    expect(preview).toMatchObject({ WouldWrite: { Erases: { Lead: expect.any(Number), User: 1, Key: 1, CustomObject: 1 } } })
    await writing
    expect(over).toBe(true)
    await erase(service)
    await vi.waitFor(async () => {
      await erase(service)
      expect(await place.has('4711')).toBe(false)
      expect(await place.has('Secret-8822')).toBe(false)
    }, 60_000)
    expect(await service.store.contents(2)).toEqual({})
    expect(await operator.workspaces.getMany({ Filters: { Name: 'acme' } })).toMatchObject({ Records: [] })
    expect(await refusal(acme.users.getCurrent())).toMatchObject({ code: 'unauthenticated' })
    expect(await operator.leads.get({ LeadID: kept.LeadID })).toMatchObject({ LastName: 'Hopper' })
    expect((await operator.changes.getMany({ Filters: { RecordID: WorkspaceID }, OrderBy: 'At asc' })).Records.map(({ EventType }) => EventType)).toContain(
      'workspace.deleted',
    )

    const again = await operator.workspaces.create({ Name: 'acme' })
    expect(await service.store.workspace('acme')).toMatchObject({ number: 3 })
    expect((await as(again.Key).leads.getMany({})).Records).toEqual([])
    expect((await service.store.journal(1).verify()).faults).toEqual([])
  })

  test('an erasure that was interrupted is completed after the next start', async () => {
    const place = await placed()
    const one = await running(place)
    const { WorkspaceID, Key } = await one.operator.workspaces.create({ Name: 'acme' })
    const input = { Operations: Array.from({ length: 700 }, () => ({ Operation: 'create_a_lead', Input: ADA })) }
    await one.as(Key).batch(input as never)
    await deleted(one, WorkspaceID)
    const stopping = new AbortController()
    const { eraseRows } = one.service.store
    const interrupted = eraseRows(2, stopping.signal)
    await vi.waitFor(async () => expect((await one.service.store.contents(2)).Lead ?? 0).toBeLessThan(700), { timeout: 60_000, interval: 1 })
    stopping.abort()
    await interrupted
    expect(await one.service.store.workspace('acme')).toMatchObject({ state: 'deleting' })

    const other = await running(place, one.key)
    const stop = startErasing(other.service, (error) => {
      throw error
    })
    onTestFinished(stop)
    await vi.waitFor(async () => expect(await other.service.store.workspace('acme')).toBeUndefined(), 60_000)
    expect(await other.service.store.contents(2)).toEqual({})
    await vi.waitFor(async () => expect(await place.has('4711')).toBe(false), 60_000)
  })

  test('a workspace has no more users, keys and webhooks than its limits allow', async () => {
    const { operator, as } = await running(await placed())
    const { WorkspaceID, Key } = await operator.workspaces.create({ Name: 'acme', MaxUsers: 2, MaxKeys: 2, MaxWebhooks: 1 })
    const acme = as(Key)
    const users = await Promise.allSettled(['a', 'b', 'c'].map((Name) => acme.users.create({ Name })))
    expect(users.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { KeyID } = await acme.keys.create({})
    expect(await refusal(acme.keys.create({}))).toMatchObject({ code: 'conflict', message: 'This workspace may have 2 keys, and has as many.' })
    await acme.keys.revoke({ KeyID })
    await acme.keys.create({})
    await acme.webhooks.create({ URL: 'https://example.com/hook' })
    expect(await refusal(acme.webhooks.create({ URL: 'https://example.com/hook' }))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('1 webhook,'),
    })
    await operator.workspaces.update({ WorkspaceID, FieldsToUpdate: { MaxUsers: 3 } })
    const [user] = [await acme.users.create({ Name: 'd' })]
    expect(await refusal(acme.users.create({ Name: 'e' }))).toMatchObject({ code: 'conflict' })
    await acme.users.update({ UserID: user.UserID, FieldsToUpdate: { Active: false } })
    await acme.users.create({ Name: 'f' })
    expect(await refusal(acme.users.update({ UserID: user.UserID, FieldsToUpdate: { Active: true } }))).toMatchObject({ code: 'conflict' })
  })
})
