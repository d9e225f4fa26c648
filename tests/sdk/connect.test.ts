import { readdirSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConnectOptions, CrmError, connect } from 'crm-connector'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openService } from '../../src/app/open.ts'
import { readConfig } from '../../src/config/settings.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

function refusedAtOnce(options: unknown): CrmError {
  try {
    connect(options as ConnectOptions)
  } catch (error) {
    if (error instanceof CrmError) return error
    throw error
  }
  throw new Error('It was accepted.')
}

describe('connect', () => {
  test.each<[string, unknown, readonly object[]]>([
    [
      'nothing',
      undefined,
      [
        { field: 'baseUrl', code: 'missing' },
        { field: 'key', code: 'missing' },
      ],
    ],
    ['no key', { baseUrl: 'http://127.0.0.1:8484' }, [{ field: 'key', code: 'missing', message: 'connect needs key.' }]],
    ['a key that is undefined', { baseUrl: 'http://127.0.0.1:8484', key: undefined }, [{ field: 'key', code: 'missing' }]],
    ['an address without a scheme', { baseUrl: '127.0.0.1:8484', key: 'x' }, [{ field: 'baseUrl', code: 'value' }]],
    ...['?a=1', '#part', '/crm?'].map((end): [string, unknown, object[]] => [
      `an address that ends with ${end}`,
      { baseUrl: `http://127.0.0.1:8484${end}`, key: 'x' },
      [{ field: 'baseUrl', code: 'value' }],
    ]),
    ['an address with a name and a password', { baseUrl: 'http://ada:secret@127.0.0.1:8484', key: 'x' }, [{ field: 'baseUrl', code: 'value' }]],
    ['an empty key', { baseUrl: 'http://127.0.0.1:8484', key: '' }, [{ field: 'key', code: 'type', message: 'key must be a non-empty text.' }]],
    ['half a repetition', { baseUrl: 'http://127.0.0.1:8484', key: 'x', retries: 2.5 }, [{ field: 'retries', code: 'type' }]],
    ['a slip', { baseUrl: 'http://127.0.0.1:8484', key: 'x', timeout: 5 }, [{ field: 'timeout', code: 'unknown', didYouMean: 'timeoutMs' }]],
    ['an address of another kind', { baseUrl: 'file:///crm', key: 'x' }, [{ field: 'baseUrl', code: 'value' }]],
    [
      'names in the wrong case',
      { baseURL: 'http://127.0.0.1:8484', KEY: 'x' },
      [
        { field: 'baseUrl', code: 'missing' },
        { field: 'key', code: 'missing' },
        { field: 'baseURL', code: 'unknown', didYouMean: 'baseUrl' },
        { field: 'KEY', code: 'unknown', didYouMean: 'key' },
      ],
    ],
    [
      'values of the wrong kind',
      { baseUrl: 'http://127.0.0.1:8484', key: 7, retries: -1, timeoutMs: Number.NaN, fetch: {}, headers: 'x', onRequest: true, onResponse: 1 },
      ['key', 'retries', 'timeoutMs', 'fetch', 'headers', 'onRequest', 'onResponse'].map((field) => ({ field, code: 'type' })),
    ],
    ['both ways at once', { platform: 'sqlite:crm.db', baseUrl: 'http://127.0.0.1:8484' }, [{ field: 'baseUrl', code: 'unknown' }]],
    ['what only a store takes', { baseUrl: 'http://127.0.0.1:8484', key: 'x', workspace: 'sandbox' }, [{ field: 'workspace', code: 'unknown' }]],
    ['a key and a workspace', { platform: 'sqlite:crm.db', key: 'x', workspace: 'sandbox' }, [{ field: 'workspace', code: 'value' }]],
    ['a name that every object has', { platform: 'sqlite:crm.db', toString: 'x' }, [{ field: 'toString', code: 'unknown' }]],
  ])('refuses %s at once, with all that is wrong', (_, options, faults) => {
    const error = refusedAtOnce(options)
    expect(error.code).toBe('invalid_input')
    expect(error.errors).toMatchObject(faults)
    expect(error.errors).toHaveLength(faults.length)
  })

  test('takes an address with a path and a slash at its end', async () => {
    const { url, key } = await serverForTest()
    const asked: string[] = []
    const crm = connect({
      baseUrl: `${url}/crm//`,
      key,
      fetch: (to, init) => {
        asked.push(String(to))
        return fetch(String(to).replace('/crm/', '/'), init)
      },
    })
    expect(await crm.users.getCurrent()).toMatchObject({ Role: 'admin' })
    expect(asked).toEqual([`${url}/crm/v1/operations/get_current_user`])
  })
})

describe('a client over HTTP', () => {
  test('throws refusals as they are, with the name of the request', async () => {
    const { url, key, log } = await serverForTest()
    const error = await connect({ baseUrl: url, key })
      .leads.get({ LeadID: 'nobody' })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CrmError)
    const { code, requestId } = error as CrmError
    expect(code).toBe('not_found')
    expect(log()).toContain(String(requestId))
  })

  test('confirms what must be confirmed by the plan it was refused with', async () => {
    const { url, key } = await serverForTest()
    const crm = connect({ baseUrl: url, key })
    const { LeadID } = await crm.leads.create(ADA)
    const error = (await crm.leads.delete({ LeadID }, { confirm: true }).catch((reason: unknown) => reason)) as CrmError
    expect(error).toMatchObject({ code: 'conflict', plan: { Operation: 'delete_lead', RecordID: LeadID } })
    expect(await crm.leads.delete({ LeadID }, { confirmation: error.plan?.Token ?? '' })).toEqual({ LeadID, Deleted: true })
  })

  test('is disposed of with nothing to let go of', async () => {
    const { url, key } = await serverForTest()
    const crm = connect({ baseUrl: url, key })
    await crm[Symbol.asyncDispose]()
    expect(await crm.users.getCurrent()).toMatchObject({ Role: 'admin' })
  })
})

describe('a client in process', () => {
  /** Where a store may be, and what is there. */
  async function place() {
    const folder = await temporaryFolder()
    return { platform: `sqlite:${join(folder, 'crm.db')}`, folder, there: () => readdirSync(folder) }
  }

  test('opens the store with the first call, and lets go of it when closed', async () => {
    const { platform, there } = await place()
    const crm = connect({ platform })
    expect(there()).toEqual([])
    const lead = await crm.leads.create(ADA)
    const { Key: key } = await crm.keys.create({})
    expect(there()).toContain('crm.db')
    expect(there().filter((name) => !name.startsWith('crm.db'))).toEqual([])
    await crm.close()
    await expect(crm.leads.get({ LeadID: lead.LeadID })).rejects.toMatchObject({ code: 'unsupported', message: 'This client has been closed.' })
    await crm.close()

    const again = connect({ platform, key: key ?? '' })
    expect(await again.leads.get({ LeadID: lead.LeadID })).toMatchObject(lead)
    await again.close()
  })

  test('names the key of a conflict as its option is called', async () => {
    const crm = connect({ platform: (await place()).platform })
    const options = { idempotencyKey: 'k' }
    await crm.leads.create(ADA, options)
    const message = 'This idempotencyKey was used with another operation or input.'
    await expect(crm.leads.create({ ...ADA, Title: 'Countess' }, options)).rejects.toMatchObject({ code: 'conflict', message })
    await crm.close()
  })

  test('names the token of a plan as its option is called', async () => {
    const crm = connect({ platform: (await place()).platform })
    const { LeadID } = await crm.leads.create(ADA)
    await expect(crm.leads.delete({ LeadID }, { confirm: true })).rejects.toMatchObject({
      hint: expect.stringMatching(/^Check the plan, then repeat the call with its token as confirmation, before /),
    })
    await crm.close()
  })

  test('leaves no key beside the store, whose admin gets one with the first service on it', async () => {
    const { platform, folder, there } = await place()
    const crm = connect({ platform })
    const { UserID } = await crm.users.getCurrent()
    await crm.close()
    expect(there()).not.toContain('admin-key')
    for (let i = 0; i < 2; i++) await (await openService(readConfig({ platform }, {}))).close()
    const key = (await readFile(join(folder, 'admin-key'), 'utf8')).trim()
    const again = connect({ platform, key })
    expect(await again.users.getCurrent()).toMatchObject({ UserID, Role: 'admin' })
    expect((await again.keys.getMany()).Records).toHaveLength(1)
    await again.close()
  })

  test("leaves no key in a project's root, but in a folder that Git ignores, unless one was there before", async () => {
    const { platform, folder, there } = await place()
    await writeFile(join(folder, 'package.json'), '{}')
    const hook = async () => {
      const crm = connect({ platform })
      const { WebhookID } = await crm.webhooks.create({ URL: 'https://example.com/hook' })
      await crm.webhooks.rotateSecret({ WebhookID })
      await crm.close()
    }
    await hook()
    expect(there().filter((name) => name.endsWith('-key'))).toEqual([])
    expect(readdirSync(join(folder, 'crm.db.keys')).sort()).toEqual(['.gitignore', 'secret-key'])
    expect(await readFile(join(folder, 'crm.db.keys/.gitignore'), 'utf8')).toBe('*\n')

    await rename(join(folder, 'crm.db.keys/secret-key'), join(folder, 'secret-key'))
    await hook()
    expect(readdirSync(join(folder, 'crm.db.keys'))).toEqual(['.gitignore'])
  })

  test('that never called has nothing to close', async () => {
    const { platform, there } = await place()
    await connect({ platform }).close()
    expect(there()).toEqual([])
  })

  test('shares the store with others in the process until the last is closed', async () => {
    const { platform, folder, there } = await place()
    const [one, two] = [connect({ platform }), connect({ platform })]
    const { LeadID } = await one.leads.create(ADA)
    await two.leads.get({ LeadID })
    await one.close()
    expect(await two.leads.get({ LeadID })).toMatchObject(ADA)
    await one.close()
    expect(await two.leads.get({ LeadID })).toMatchObject(ADA)
    await two.close()
    // Whoever still had the store open would not notice that its files are gone. Those beside it may go by themselves meanwhile: SQLite
    // lets go of a closed connection only when its statements have been collected.
    for (const name of there()) await rm(join(folder, name), { force: true })
    const three = connect({ platform })
    expect((await three.leads.getMany()).Records).toEqual([])
    await three.close()
  })

  test('in memory has a store to itself', async () => {
    const [one, two] = [connect({ platform: 'sqlite::memory:' }), connect({ platform: 'sqlite::memory:' })]
    onTestFinished(async () => {
      await one.close()
      await two.close()
    })
    await one.leads.create(ADA)
    expect([(await one.leads.getMany()).Records.length, (await two.leads.getMany()).Records.length]).toEqual([1, 0])
  })

  test('acts with a key, or as the admin of a workspace', async () => {
    const { platform } = await place()
    const admin = connect({ platform })
    const { UserID } = await admin.users.create({ Name: 'Grace' })
    const { Key } = await admin.keys.create({ UserID, Scopes: ['read'] })
    const grace = connect({ platform, key: Key })
    const [stranger, nowhere] = [connect({ platform, key: 'nobody' }), connect({ platform, workspace: 'nowhere' })]
    onTestFinished(async () => {
      for (const crm of [admin, grace, stranger, nowhere]) await crm.close()
    })
    expect(await admin.users.getCurrent()).toMatchObject({ Role: 'admin', KeyID: null, Workspace: 'default' })
    expect(await grace.users.getCurrent()).toMatchObject({ UserID, Scopes: ['read'] })
    await expect(grace.leads.create(ADA)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(stranger.leads.create(ADA)).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(nowhere.leads.create(ADA)).rejects.toMatchObject({ code: 'not_found', hint: 'There are: default.' })
  })

  test('says what is wrong with a store that cannot be opened, and tries again with the next call', async () => {
    const { platform, folder } = await place()
    await writeFile(join(folder, 'crm.db'), 'This is no database. '.repeat(500))
    const crm = connect({ platform, retries: 0 })
    onTestFinished(() => crm.close())
    await expect(crm.leads.create(ADA)).rejects.toMatchObject({ name: 'CrmError', message: expect.stringContaining('crm.db cannot be opened') })
    await rm(join(folder, 'crm.db'))
    expect(await crm.leads.create(ADA)).toMatchObject(ADA)
    await expect(connect({ platform: 'oracle:x' }).leads.create(ADA)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('"oracle"'),
    })
    await expect(connect({ platform: 'sqlite:' }).leads.create(ADA)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'sqlite: needs the path of a file behind it.',
    })
  })

  test('takes inputs and gives answers as they would travel', async () => {
    const { platform } = await place()
    const crm = connect({ platform })
    onTestFinished(() => crm.close())
    const CloseDate = { toJSON: () => '2026-12-31' } as unknown as string
    const draft = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate, Amount: undefined } as {
      OpportunityName: string
      Stage: string
      CloseDate: string
    }
    const deal = await crm.opportunities.create(draft)
    expect(deal).toMatchObject({ CloseDate: '2026-12-31', Amount: null })
    expect(Object.getPrototypeOf(deal)).toBe(Object.prototype)
    await expect(crm.opportunities.create({ ...draft, Amount: Number.NaN })).rejects.toMatchObject({ code: 'invalid_input', errors: [{ field: 'Amount' }] })
  })

  test('records a write under its transport, with a key of its own', async () => {
    const { platform } = await place()
    const crm = connect({ platform })
    onTestFinished(() => crm.close())
    let changeId: string | undefined
    const { LeadID } = await crm.leads.create(ADA, {
      onOutcome: (outcome) => {
        changeId = outcome.changeId
      },
    })
    const { Records } = await crm.changes.getMany({ Filters: { RecordID: LeadID } })
    expect(Records).toMatchObject([{ ChangeID: changeId, Transport: 'sdk', IdempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) }])
  })

  test('ends a call at once when the signal aborts', async () => {
    const { platform } = await place()
    const crm = connect({ platform })
    onTestFinished(() => crm.close())
    const controller = new AbortController()
    const call = crm.leads.create(ADA, { signal: controller.signal })
    controller.abort(new Error('Never mind.'))
    await expect(call).rejects.toThrow('Never mind.')
  })

  test('goes through all records, page by page', async () => {
    const { platform } = await place()
    await using crm = connect({ platform })
    const { Results } = await crm.batch({
      Operations: Array.from({ length: 25 }, (_, at) => ({ Operation: 'create_a_lead', Input: { ...ADA, Phone: String(at) } })),
    })
    expect(Results).toHaveLength(25)
    const phones: (string | null)[] = []
    for await (const { Phone } of crm.leads.all({ OrderBy: 'Phone', Limit: 10 })) phones.push(Phone)
    expect(phones).toEqual(Array.from({ length: 25 }, (_, at) => String(at)).sort())
    const { LeadID } = await crm.leads.create(ADA)
    for (const Note of ['a', 'b', 'c']) await crm.leads.addNote({ LeadID, Note })
    const notes: string[] = []
    for await (const { Note } of crm.notes.all({ RecordID: LeadID, Limit: 2 })) notes.push(Note)
    expect(notes).toEqual(['c', 'b', 'a'])
    let events = 0
    for await (const { Type } of crm.events.all({ Limit: 10 })) events += Number(Type.startsWith('lead.'))
    expect(events).toBe(29)
  })
})
