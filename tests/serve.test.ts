import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { answerOf, cleanEnvironment, collected, crm } from './support/crm.ts'
import { openDatabase } from './support/database.ts'
import { temporaryFolder } from './support/folder.ts'
import { type RunningService, startService } from './support/service.ts'

const main = join(import.meta.dirname, '../dist/main.js')

/** The line of the greeting that is there to be pasted, pasted. */
async function pasteCurl(out: string, cwd: string, env: Record<string, string> = {}): Promise<unknown> {
  const [, line = ''] = /^ {2}(curl .*)$/m.exec(out) ?? []
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { cwd, env: cleanEnvironment(env) })
  return JSON.parse(stdout)
}

describe('the first start', () => {
  test("makes the admin's key, says where it listens, and prints a call that works as pasted from anywhere", async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    const keyFile = join(cwd, 'data/admin-key')
    expect((statSync(keyFile).mode & 0o777).toString(8)).toBe('600')
    expect(service.out()).toMatch(
      /^Listening on http:\/\/127\.0\.0\.1:\d+\nConsole: http:\/\/127\.0\.0\.1:\d+\nDocumentation: http:\/\/127\.0\.0\.1:\d+\/docs\n\n/,
    )
    expect(service.out()).toContain(`The admin's key is in ${keyFile}.\n`)
    expect(await pasteCurl(service.out(), '/')).toMatchObject({ FirstName: 'Ada', Status: 'Open' })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${service.url}/docs`)).status).toBe(200)
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^process_cpu_user_seconds_total /m)
  })

  test('shows the key to nobody but a person', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    expect(service.out() + service.err()).not.toContain(service.key())

    const atTerminal = await temporaryFolder()
    const child = spawn('script', ['-qefc', `${process.execPath} ${main} serve --port 0`, '/dev/null'], {
      cwd: atTerminal,
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const out = collected(child.stdout)
    await expect.poll(out).toContain('curl')
    expect(out()).toContain(`The admin's key is ${readFileSync(join(atTerminal, 'data/admin-key'), 'utf8').trim()}`)
    child.kill()
    await once(child, 'close')
  })

  test('on a path with spaces and quotes prints a call that works all the same', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd, { flags: ['--platform', "sqlite:./a folder/it's $here/crm.db"] })
    expect(await pasteCurl(service.out(), cwd)).toMatchObject({ FirstName: 'Ada' })
  })
})

test('a link to sign in with leads to the service that runs, on any port, and afterwards to the port of the configuration', async () => {
  const cwd = await temporaryFolder()
  const linkOf = async () => String(answerOf(await crm(['sign-in'], { cwd })).Link)
  const service = await startService(cwd)
  expect(new URL(await linkOf()).origin).toBe(service.url)
  await service.end()
  expect(new URL(await linkOf()).port).toBe('8484')
})

describe('the next start', () => {
  test('keeps the key and says nothing more of it', async () => {
    const cwd = await temporaryFolder()
    const first = await startService(cwd)
    const key = first.key()
    await first.end()
    const second = await startService(cwd)
    expect(second.key()).toBe(key)
    expect(second.out()).not.toContain("The admin's key is")
    expect(await pasteCurl(second.out(), cwd)).toMatchObject({ FirstName: 'Ada' })
  })

  test('without the file, or with that of another store, says how to make another key', async () => {
    const cwd = await temporaryFolder()
    await (await startService(cwd)).end()
    writeFileSync(join(cwd, 'data/admin-key'), 'crm_of-another-store\n')
    const other = await startService(cwd)
    expect(other.out()).not.toContain('curl')
    await other.end()
    rmSync(join(cwd, 'data/admin-key'))
    const { out } = await startService(cwd)
    const [, line = ''] = /Make another with: node \S+ (.*)\n/.exec(out()) ?? []
    const made = await crm(line.split(' '), { cwd })
    expect(JSON.parse(made.out)).toMatchObject({ Key: expect.stringMatching(/^crm_/), Scopes: ['read', 'write', 'delete', 'admin'] })
  })
})

describe('a key given as CRM_ADMIN_KEY', () => {
  const [FIRST, SECOND] = ['first-key-of-my-own-making-0123456789', 'second-key-of-my-own-making-012345678']

  test('is valid from every start that has it, until another takes its place', async () => {
    const cwd = await temporaryFolder()
    const status = async (service: RunningService, key: string) => (await service.post('get_current_user', {}, { authorization: `Bearer ${key}` })).status
    const first = await startService(cwd, { env: { CRM_ADMIN_KEY: FIRST } })
    expect(readdirSync(join(cwd, 'data'))).not.toContain('admin-key')
    expect(await pasteCurl(first.out(), cwd, { CRM_ADMIN_KEY: FIRST })).toMatchObject({ FirstName: 'Ada' })
    expect(await (await first.post('get_current_user')).json()).toMatchObject({ Role: 'admin', Scopes: ['read', 'write', 'delete', 'admin', 'operator'] })
    expect(first.out() + first.err()).not.toContain(FIRST)
    await first.end()

    const without = await startService(cwd)
    expect(await status(without, FIRST)).toBe(200)
    await without.end()

    const second = await startService(cwd, { env: { CRM_ADMIN_KEY: SECOND } })
    expect([await status(second, FIRST), await status(second, SECOND)]).toEqual([401, 200])
    await second.end()

    const again = await startService(cwd, { env: { CRM_ADMIN_KEY: FIRST } })
    expect([await status(again, FIRST), await status(again, SECOND)]).toEqual([200, 401])
    const { Records } = (await again.call('get_many_keys')) as { Records: unknown[] }
    expect(Records).toHaveLength(2)
  })

  test('leaves the key of the first start valid beside it', async () => {
    const cwd = await temporaryFolder()
    const first = await startService(cwd)
    const made = first.key()
    await first.end()
    const second = await startService(cwd, { env: { CRM_ADMIN_KEY: FIRST } })
    for (const key of [made, FIRST]) expect((await second.post('get_current_user', {}, { authorization: `Bearer ${key}` })).status).toBe(200)
  })

  test.each(['short', 'with a space in it that is longer than 32', 'ünvisible-0123456789-0123456789-01'])('is refused when it is %j', async (key) => {
    const { code, err } = await crm(['serve', '--port', '0'], { cwd: await temporaryFolder(), env: { CRM_ADMIN_KEY: key } })
    expect(code).toBe(2)
    expect(err).toContain('CRM_ADMIN_KEY must be 32 or more visible characters')
    expect(err).not.toContain(key)
  })
})

describe('where it cannot listen', () => {
  test('a port in use is said to be, and nothing keeps running', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const { code, out, err } = await crm(['serve', '--port', String(port)], { cwd: await temporaryFolder() })
    taken.close()
    expect({ code, out }).toEqual({ code: 7, out: '' })
    expect(err).toBe(
      `crm: Port ${port} on 127.0.0.1 is already in use. [platform_unavailable]\n  Choose another with --port or CRM_PORT; 0 takes any free one.\n`,
    )
  })

  test('an address of another machine is bad input', async () => {
    const { code, err } = await crm(['serve', '--port', '0', '--host', '192.0.2.1'], { cwd: await temporaryFolder() })
    expect([code, err]).toEqual([2, expect.stringContaining('192.0.2.1 is not an address of this machine')])
  })
})

test('a store in memory works, for whoever brings a key', async () => {
  const cwd = await temporaryFolder()
  const env = { CRM_ADMIN_KEY: 'a-key-of-my-own-making-0123456789-01' }
  const service = await startService(cwd, { flags: ['--platform', 'sqlite::memory:'], env })
  expect(await pasteCurl(service.out(), cwd, env)).toMatchObject({ FirstName: 'Ada' })
  expect(await service.call('get_summary_of_leads')).toMatchObject({ Total: 1 })
  expect(await service.end()).toBe(0)
  expect(readdirSync(cwd)).toEqual([])
  const { out } = await startService(cwd, { flags: ['--platform', 'sqlite::memory:'] })
  expect(out()).toContain('Give one with CRM_ADMIN_KEY.')
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('ends the service with 0, after it has answered what was under way', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    // Another process writes, so that this write must wait and is under way when the signal comes.
    const other = await openDatabase(join(cwd, 'data/crm.db'))
    other.exec('BEGIN IMMEDIATE')
    const answer = service.post('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    await expect.poll(async () => (await fetch(`${service.url}/metrics`)).text()).toContain('crm_http_in_flight 2\n')
    const ended = service.end(signal)
    const asked = () =>
      fetch(`${service.url}/healthz`).then(
        () => 'answered',
        () => 'refused',
      )
    await expect.poll(asked).toBe('refused')
    other.exec('COMMIT')
    const response = await answer
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
    expect(await response.json()).toMatchObject({ FirstName: 'Ada' })
    expect(await ended).toBe(0)
    expect(other.get('SELECT COUNT(*) AS n FROM "Lead"', [])).toMatchObject({ n: 1 })
    other.close()
  })
})

test('told to stop, it ends though a client never finishes its request', async () => {
  const service = await startService(await temporaryFolder())
  const { port } = new URL(service.url)
  const stalled = connect(Number(port), '127.0.0.1').on('error', () => {})
  stalled.write(`POST /v1/operations/create_a_lead HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key()}\r\nContent-Length: 100\r\n\r\n{`)
  const idle = new Agent({ keepAlive: true })
  await new Promise((resolve) => request(`${service.url}/healthz`, { agent: idle }, (incoming) => incoming.resume().on('end', resolve)).end())
  expect(await service.end()).toBe(0)
  stalled.destroy()
  idle.destroy()
})

describe('the log', () => {
  test('goes to standard error as lines of JSON, with nothing secret in them', async () => {
    const service = await startService(await temporaryFolder(), { env: { CRM_LOG_LEVEL: 'trace' } })
    const { Key } = await service.call('create_key', { Label: 'x' })
    await service.call('create_a_lead', { FirstName: 'Very', LastName: 'Private' })
    await service.post('create_a_lead', { FirstName: service.key() })
    await service.post('get_current_user', {}, { authorization: `Bearer ${Key}x` })
    await fetch(`${service.url}/v1/operations/${service.key()}?key=${Key}`)
    await service.end()
    const lines = service.err().trim().split('\n')
    const parsed = lines.map((line) => JSON.parse(line) as { level: string; msg: string })
    expect(parsed.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['answered', 'refused', 'stopping', 'stopped']))
    for (const secret of [service.key(), String(Key), 'Private']) expect(service.err() + service.out()).not.toContain(secret)
    expect(parsed.at(-1)).toMatchObject({ level: 'info', msg: 'stopped' })
  })

  test('is silent when told to be', async () => {
    const service = await startService(await temporaryFolder(), { env: { CRM_LOG_LEVEL: 'silent' } })
    await service.post('create_a_lead', {})
    await service.end()
    expect(service.err()).toBe('')
  })
})
