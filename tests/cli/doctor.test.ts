import { once } from 'node:events'
import { chmodSync, closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import { type CommandOptions, runHere } from '../support/cli.ts'
import { answerOf, crm } from '../support/crm.ts'
import { ask, openDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { temporaryDatabase } from '../support/postgres.ts'
import { serverForTest } from '../support/server.ts'

interface Found {
  readonly Area: string
  readonly Name: string
  readonly State: 'good' | 'doubtful' | 'bad'
  readonly Says: string
  readonly Todo?: string
}

/** A store that a process has made and let go of. */
const made = mkdtempSync(join(tmpdir(), 'crm-'))
beforeAll(async () => void answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { cwd: made })))
afterAll(() => rmSync(made, { recursive: true, force: true }))

/** A home with a copy of it. */
async function home(): Promise<{ cwd: string; data: string; env: { HOME: string; CRM_PLATFORM: string; CRM_PORT: string } }> {
  const cwd = await temporaryFolder()
  const data = join(cwd, 'data')
  cpSync(join(made, 'data'), data, { recursive: true, preserveTimestamps: true })
  chmodSync(data, 0o700)
  return { cwd, data, env: { HOME: cwd, CRM_PLATFORM: `sqlite:${join(data, 'crm.db')}`, CRM_PORT: '0' } }
}

async function examined(
  env: CommandOptions['env'],
  ...words: string[]
): Promise<{ code: number | null; healthy: boolean; findings: readonly Found[]; of: (name: string) => Found | undefined }> {
  const { code, out, err } = await runHere(['doctor', ...words], { env: env ?? {} })
  if (out === '') throw new Error(err)
  const { Healthy, Findings } = JSON.parse(out) as { Healthy: boolean; Findings: Found[] }
  return { code, healthy: Healthy, findings: Findings, of: (name) => Findings.find(({ Name }) => Name === name) }
}

const state = (folder: string): unknown =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { mtimeMs, size, mode } = statSync(join(folder, name))
    return [name, mtimeMs, size, mode]
  })

describe('crm doctor', () => {
  test('finds nothing wrong with what is well, and changes nothing', async () => {
    const { cwd, env } = await home()
    const before = state(cwd)
    const { code, healthy, findings, of } = await examined(env)
    expect(findings.filter(({ State }) => State !== 'good')).toEqual([])
    expect([code, healthy]).toEqual([0, true])
    expect(findings.map(({ Name }) => Name)).toEqual(
      expect.arrayContaining(['Node', 'SQLite', 'platform', 'Commands', 'Place', 'Disk', 'Schema', 'Integrity', 'Audit of default', 'Admin key']),
    )
    expect(of('Commands')?.Says).toMatch(/^go to the store .*crm\.db, because CRM_PLATFORM is set$/)
    expect(of('Audit of default')?.Says).toBe('the last 1 line verifies')
    expect(state(cwd)).toEqual(before)
    expect((await examined(env, '--deep')).of('Audit of default')?.Says).toBe('1 line verifies')
    expect(state(cwd)).toEqual(before)
  })

  test('says how far a CRM was followed', async () => {
    const { data, env } = await home()
    const store = await openDatabase(join(data, 'crm.db'))
    const found = async (since: number, isComplete: boolean) => {
      const position = { account: 'hubspot', types: { Lead: { since, isComplete } } }
      store.run('INSERT OR REPLACE INTO "Position" ("Workspace", "Name", "Value") VALUES (1, ?, ?)', ['mirror feed', JSON.stringify(position)])
      return (await examined(env)).of('Watch')
    }
    const now = Date.now()
    expect(await found(now, true)).toMatchObject({ State: 'good', Says: `workspace default: its CRM was followed up to ${new Date(now).toISOString()}` })
    expect(await found(now, false)).toMatchObject({ State: 'good', Says: 'workspace default: the mirror of its CRM is being backfilled' })
    expect(await found(now - 2 * 86_400_000, true)).toMatchObject({ State: 'doubtful', Todo: expect.stringContaining('CRM_WATCH_INTERVAL') })
    store.close()
  })

  test('says what watching a CRM costs, and why the last poll has failed', async () => {
    const { data, env } = await home()
    const store = await openDatabase(join(data, 'crm.db'))
    const found = async (failure: object | null, exhausted: string | null = null, budget: object = {}) => {
      // Of another day, so that none of them is of today.
      const status = { intervalMs: 60_000, requestsPerDay: 20_000, requests: 1214, at: '2020-01-01T00:00:00.000Z', failure, exhausted, ...budget }
      store.run('INSERT OR REPLACE INTO "Position" ("Workspace", "Name", "Value") VALUES (1, ?, ?)', ['mirror watch', JSON.stringify(status)])
      return (await examined(env)).of('Watch requests')
    }
    expect(await found(null)).toMatchObject({ State: 'good', Says: 'workspace default: 0 of 20,000 requests today' })
    const used = await found(null, '2020-01-01T00:00:00.000Z')
    expect(used).toMatchObject({ State: 'doubtful', Says: expect.stringContaining('are used up for now'), Todo: expect.stringContaining('CRM_WATCH_REQUESTS') })
    const capped = await found(null, '2020-01-01T00:00:00.000Z', { requestsPerDay: 7500, quota: 15_000 })
    expect(capped).toMatchObject({ State: 'doubtful', Says: expect.stringContaining('of 7,500 requests today, half of the 15,000 that the account allows') })
    expect(capped).toMatchObject({ Todo: expect.stringMatching(/Raise CRM_WATCH_INTERVAL, .* give more of it by CRM_WATCH_REQUESTS/) })
    const failure = { code: 'platform_unavailable', message: 'HubSpot does not answer.', hint: null, at: '2020-01-01T00:00:00.000Z' }
    expect(await found(failure)).toMatchObject({ State: 'doubtful', Says: expect.stringContaining('The last poll has failed: HubSpot does not answer.') })
    store.close()
  })

  test('changes nothing either while the store is in use', async () => {
    const { cwd, env } = await home()
    const client = await createApp('test', env).client({})
    await client.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
    const before = state(cwd)
    expect((await examined(env)).of('Audit of default')?.Says).toBe('the last 2 lines verify')
    expect(state(cwd)).toEqual(before)
    await client.close()
  })

  test('makes no store where there is none', async () => {
    const cwd = await temporaryFolder()
    const { code, of } = await examined({ HOME: cwd, CRM_PLATFORM: `sqlite:${join(cwd, 'data/deep/crm.db')}`, CRM_PORT: '0' })
    expect([code, of('Place')?.Says]).toEqual([0, expect.stringContaining('not there yet')])
    expect(readdirSync(cwd)).toEqual([])
  })

  test('is for people on a terminal, with what to do about it', async () => {
    const { env, data } = await home()
    chmodSync(join(data, 'admin-key'), 0o644)
    const { code, out } = await runHere(['doctor'], { env: { ...env, NO_COLOR: '1' }, columns: 100 })
    expect(code).toBe(3)
    expect(out).toMatch(/^Runtime\n {2}✓ CRM Connector: 0\.0\.0-test\n {2}✓ Node: v/)
    expect(out).toMatch(/\n\nStore\n {2}✓ Place: /)
    expect(out).toMatch(/\n {2}✗ Admin key: Other users can read [\s\S]*\n {4}→ chmod 600 [\s\S]*\n\n1 wrong\.\n$/)
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  test('says where each setting comes from, what is wrong with it, and what variable was meant', async () => {
    const { env } = await home()
    const { code, of, findings } = await examined(
      { ...env, CRM_LOG_LEVEL: 'inof', CRM_PLATFROM: 'x', CRM_ADMIN_KEY: 'k'.repeat(32), CRM_TEST_POSTGRES: 'x' },
      '--port',
      '8484',
    )
    expect(code).toBe(2)
    expect(of('CRM_LOG_LEVEL')).toMatchObject({ State: 'bad', Todo: 'Did you mean info? docs/configuration.md has them all.' })
    expect(of('CRM_PLATFROM')).toMatchObject({ State: 'doubtful', Todo: 'Did you mean CRM_PLATFORM?' })
    expect(of('port')?.Says).toBe('8484, by --port')
    expect(of('adminKey')?.Says).toBe('set, by CRM_ADMIN_KEY')
    expect(JSON.stringify(findings)).not.toContain('kkkk')
    expect(findings.map(({ Name }) => Name)).not.toContain('CRM_TEST_POSTGRES')
  })

  describe('finds of a store', () => {
    const cases: { readonly [what: string]: readonly [make: (data: string) => void | Promise<void>, exit: number, name: string, says: RegExp] } = {
      'that it is no database': [(data) => writeFileSync(join(data, 'crm.db'), 'Dear diary, today I met a database.'.repeat(30)), 2, 'Store', /not a database/],
      'that it is of another program': [
        async (data) => {
          writeFileSync(join(data, 'crm.db'), '')
          await ask(join(data, 'crm.db'), 'CREATE TABLE "Recipe" ("Name")')
        },
        2,
        'Store',
        /another program/,
      ],
      'that it is newer': [(data) => patched(join(data, 'crm.db'), 60, [0, 0, 0, 99]), 6, 'Store', /newer CRM Connector/],
      'that it is older': [(data) => patched(join(data, 'crm.db'), 60, [0, 0, 0, 1]), 0, 'Schema', /It is at version 1 of \d/],
      'that it is damaged': [
        (data) =>
          patched(
            join(data, 'crm.db'),
            4096 * 3,
            Array.from({ length: 4096 * 4 }, () => 0xff),
          ),
        1,
        'Integrity',
        /./,
      ],
      'that nothing in it can be read': [(data) => patched(join(data, 'crm.db'), 100, [0xff, 0xff, 0xff, 0xff]), 1, 'Integrity', /malformed/],
      'that its audit was altered': [
        async (data) => {
          const database = await openDatabase(join(data, 'crm.db'))
          database.exec(`UPDATE "Change" SET "UserID" = 'somebody else'`)
          database.close()
        },
        5,
        'Audit of default',
        /^Line 1: This line has been altered/,
      ],
      'that others may read it': [(data) => chmodSync(join(data, 'crm.db'), 0o644), 0, 'Rights', /mode 644/],
      'that others may look into its folder': [(data) => chmodSync(data, 0o755), 0, 'Folder', /mode 755/],
      "that others can read the admin's key": [(data) => chmodSync(join(data, 'admin-key'), 0o640), 3, 'Admin key', /mode 640/],
    }

    test.each(Object.entries(cases))('%s', async (_, [make, exit, name, says]) => {
      const { env, data } = await home()
      await make(data)
      const { code, of } = await examined(env)
      expect([code, of(name)?.Says]).toEqual([exit, expect.stringMatching(says)])
      expect(of(name)).toMatchObject({ State: exit === 0 ? 'doubtful' : 'bad', Todo: expect.stringMatching(/./) })
    })

    test('what to do: upgrade for one that is newer, restore one that is damaged', async () => {
      const { env, data } = await home()
      patched(join(data, 'crm.db'), 60, [0, 0, 0, 99])
      expect((await examined(env)).of('Store')?.Todo).toMatch(/^Upgrade crm-connector/)
      const damaged = await home()
      patched(join(damaged.data, 'crm.db'), 100, [0xff, 0xff, 0xff, 0xff])
      expect((await examined(damaged.env)).of('Integrity')?.Todo).toContain('crm restore FILE --force')
    })

    test('that its place is a folder, or a platform nobody knows', async () => {
      const cwd = await temporaryFolder()
      mkdirSync(join(cwd, 'crm.db'))
      expect((await examined({ HOME: cwd, CRM_PLATFORM: `sqlite:${join(cwd, 'crm.db')}`, CRM_PORT: '0' })).code).toBe(7)
      const unknown = await examined({ HOME: cwd, CRM_PLATFORM: 'oracle://me:hunter2@db/x', CRM_PORT: '0' })
      expect([unknown.code, unknown.of('Address')?.Says]).toEqual([2, 'There is no platform for "oracle".'])
      expect(JSON.stringify(unknown.findings)).not.toContain('hunter2')
    })
  })

  describe('finds of a server', () => {
    test('that it is there, is ours, and knows the key', async () => {
      const server = await serverForTest()
      const { code, of } = await examined({ HOME: await temporaryFolder(), CRM_URL: server.url, CRM_KEY: server.key })
      expect(code).toBe(0)
      expect(of('Answer')?.Says).toMatch(/is ready, in \d+ ms$/)
      expect([of('Version')?.State, of('Clock')?.State, of('Key')?.Says]).toEqual([
        'good',
        'good',
        'Admin, admin of default, may read, write, delete, admin, operator',
      ])
      // Whoever only works through a server needs no store.
      expect(of('Place')).toBeUndefined()
    })

    test('that it does not answer, or does not know the key', async () => {
      const env = { HOME: await temporaryFolder(), CRM_KEY: 'crm_wrong' }
      const gone = await examined({ ...env, CRM_URL: 'http://127.0.0.1:1' })
      expect([gone.code, gone.of('Answer')?.Todo]).toEqual([7, 'Is it running at this address?'])
      const server = await serverForTest()
      const wrong = await examined({ ...env, CRM_URL: server.url })
      expect([wrong.code, wrong.of('Key')]).toMatchObject([3, { Says: 'This key is not known.', Todo: expect.stringContaining(`crm login ${server.url}`) }])
      const none = await examined({ HOME: env.HOME, CRM_URL: server.url })
      expect([none.code, none.of('Commands')?.State]).toEqual([3, 'bad'])
    })

    test('that its key ends soon, that its clock is wrong, or that it is another version', async () => {
      const server = await serverForTest()
      const { Key } = await server.call('create_key', { ExpiresDate: new Date(Date.now() + 86_400_000 * 3.5).toISOString() })
      const soon = await examined({ HOME: await temporaryFolder(), CRM_URL: server.url, CRM_KEY: String(Key) })
      expect(soon.findings.filter(({ State }) => State === 'doubtful').map(({ Says }) => Says)).toEqual(['It expires in 3 days.'])
      const other = await listening((request, response) => {
        response.setHeader('Date', new Date(Date.now() - 3_600_000).toUTCString())
        response.end(request.url === '/openapi.json' ? '{"info":{"version":"9.9.9"}}' : '{}')
      })
      const { of } = await examined({ HOME: await temporaryFolder(), CRM_URL: `http://127.0.0.1:${other}`, CRM_KEY: 'k' })
      expect(of('Clock')).toMatchObject({ State: 'doubtful', Says: expect.stringMatching(/ 360\d s away/) })
      expect(of('Version')).toMatchObject({ State: 'doubtful', Says: 'The server is 9.9.9, this command is 0.0.0-test.' })
    })
  })

  test('finds that others can read a login', async () => {
    const cwd = await temporaryFolder()
    const file = join(cwd, '.config/crm-connector/login.json')
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o755 })
    writeFileSync(file, '{"url":"http://127.0.0.1:1","key":"k"}', { mode: 0o644 })
    const { code, of } = await examined({ HOME: cwd, CRM_PLATFORM: 'sqlite::memory:', CRM_PORT: '0' })
    expect([code, of('Login')?.Todo]).toEqual([3, expect.stringContaining(`chmod 600 ${file}`)])
    expect(of('Folder')).toMatchObject({ State: 'doubtful', Todo: `chmod 700 ${join(file, '..')}` })
  })

  test('finds whether the port is free, ours, or taken', async () => {
    const { env } = await home()
    const [server, other] = [await serverForTest(), await listening((_, response) => response.end('hello'))]
    const port = async (number: number) => (await examined(env, '--port', String(number))).findings.at(-1)
    expect(await port(server.port)).toMatchObject({ State: 'good', Says: 'a CRM Connector listens there' })
    expect(await port(other)).toMatchObject({ State: 'doubtful', Says: expect.stringContaining('Another program listens there') })
    expect(await port(1)).toMatchObject({ State: 'good', Says: 'free for crm serve' })
  })

  test('looks at a database as well, and changes nothing there', async () => {
    const { url, drop } = await temporaryDatabase()
    onTestFinished(drop)
    const env = { HOME: await temporaryFolder(), CRM_PLATFORM: url, CRM_PORT: '0' }
    const empty = await examined(env)
    expect([empty.code, empty.of('Schema')?.Says]).toEqual([0, 'an empty database: the first command makes a store in it'])
    const client = await createApp('test', env).client({})
    await client.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    await client.events.getMany({})
    const { code, of } = await examined(env)
    await client.close()
    expect(code).toBe(0)
    expect(of('Schema')?.Says).toMatch(/^version \d+$/)
    expect(of('Audit of default')).toMatchObject({ State: 'good', Says: expect.stringMatching(/^the last 1 line verifies/) })
    const wrong = new URL(url)
    wrong.pathname = '/nowhere'
    expect((await examined({ ...env, CRM_PLATFORM: wrong.href })).code).toBe(2)
    expect((await examined({ ...env, CRM_PLATFORM: 'postgres://me:secret@127.0.0.1:1/x' })).code).toBe(7)
    expect((await examined({ ...env, CRM_PLATFORM: `${url}?poool=3` })).of('Address')).toMatchObject({ State: 'bad' })
  })
})

test('the built command examines the folder it is in', async () => {
  const cwd = await temporaryFolder()
  writeFileSync(join(cwd, 'crm.config.json'), '{"prot": 1}')
  const { code, out } = await crm(['doctor'], { cwd, env: { HOME: cwd } })
  expect(code).toBe(2)
  expect(JSON.parse(out)).toMatchObject({ Healthy: false })
  expect(out).toContain('Did you mean port?')
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})

function patched(file: string, at: number, values: readonly number[]): void {
  const opened = openSync(file, 'r+')
  writeSync(opened, Buffer.from(values), 0, values.length, at)
  closeSync(opened)
}

/** A server of another kind, and its port. */
async function listening(answer: Parameters<typeof createServer>[1]): Promise<number> {
  const server: Server = createServer(answer as never)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
