import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runHere } from '../support/cli.ts'
import { answerOf, cleanEnvironment, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** A server, and somebody's home with a login to it. */
async function signedIn() {
  const server = await serverForTest()
  const home = await temporaryFolder()
  const env = { HOME: home }
  const ran = await runHere(['login', server.url], { env, input: `${server.key}\n` })
  return { server, home, env, ran, file: join(home, '.config/crm-connector/login.json') }
}

describe('crm login', () => {
  test('keeps the server and the key where only their owner can read them, and commands go there', async () => {
    const { server, env, ran, file } = await signedIn()
    expect(answerOf(ran)).toEqual({
      Server: server.url,
      User: 'Admin',
      Role: 'admin',
      Workspace: 'default',
      Scopes: ['read', 'write', 'delete', 'admin', 'operator'],
      File: file,
    })
    expect([mode(file), mode(join(file, '..'))]).toEqual(['600', '700'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: server.url, key: server.key })
    const { LeadID } = answerOf(await runHere(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { env }))
    expect(await server.call('get_leads', { LeadID })).toMatchObject({ FirstName: 'Ada' })
  })

  test('uses $XDG_CONFIG_HOME, unless that is no absolute path', async () => {
    const server = await serverForTest()
    const home = await temporaryFolder()
    answerOf(await runHere(['login', server.url], { env: { HOME: home, XDG_CONFIG_HOME: join(home, 'xdg') }, input: server.key }))
    expect(existsSync(join(home, 'xdg/crm-connector/login.json'))).toBe(true)
    answerOf(await runHere(['login', server.url], { env: { HOME: home, XDG_CONFIG_HOME: 'xdg' }, input: server.key }))
    expect(existsSync(join(home, '.config/crm-connector/login.json'))).toBe(true)
  })

  test('tightens a folder that was there before, and leaves nothing half written', async () => {
    const server = await serverForTest()
    const home = await temporaryFolder()
    mkdirSync(join(home, '.config/crm-connector'), { recursive: true, mode: 0o755 })
    answerOf(await runHere(['login', server.url], { env: { HOME: home }, input: server.key }))
    expect(mode(join(home, '.config/crm-connector'))).toBe('700')
  })

  test('asks a person for both, and does not show the key', async () => {
    const server = await serverForTest()
    const env = { HOME: await temporaryFolder(), NO_COLOR: '1' }
    const { code, out, err } = await runHere(['login'], { env, columns: 80, typed: [`${server.url}\r`, `${server.key}x\u007f\r`] })
    expect(code).toBe(0)
    expect(err).toMatch(/Address of the server \[http:\/\/127\.0\.0\.1:8484\]: [\s\S]*Key for http:\/\/127\.0\.0\.1:\d+ \(it is not shown\): \n$/)
    expect(out).toMatch(/^Server +http:\/\/127\.0\.0\.1:\d+\nUser +Admin\n/)
    expect(out + err).not.toContain(server.key)
  })

  test('keeps CRM_URL and CRM_KEY where nothing else is given, without waiting for anybody', async () => {
    const server = await serverForTest()
    const home = await temporaryFolder()
    const env = { HOME: home, CRM_URL: server.url, CRM_KEY: server.key }
    for (const how of [{}, { columns: 80 }, { input: 'open' }]) {
      expect((await runHere(['login', '--output', 'json'], { env, ...how })).code).toBe(0)
      const file = join(home, '.config/crm-connector/login.json')
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: server.url, key: server.key })
      answerOf(await runHere(['logout'], { env }))
    }
    // The key is for that server, and for no other that is named.
    expect((await runHere(['login', 'http://127.0.0.1:1'], { env, input: '' })).err).toContain('There was no key.')
  })

  test('on a real terminal does not echo the key', async () => {
    const server = await serverForTest()
    const home = await temporaryFolder()
    const main = join(import.meta.dirname, '../../dist/main.js')
    const child = spawn('script', ['-qec', `"${process.execPath}" "${main}" login ${server.url}`, '/dev/null'], {
      cwd: home,
      env: { ...cleanEnvironment(), HOME: home },
    })
    let seen = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (!seen.includes('not shown') && chunk.includes('not shown')) child.stdin.write(`${server.key}\r`)
      seen += chunk.toString()
    })
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(0)
    expect(seen).toContain('Admin')
    expect(seen).not.toContain(server.key.slice(4))
  })

  test('keeps nothing when the key is wrong, none came, or nobody answers', async () => {
    const server = await serverForTest()
    const home = await temporaryFolder()
    const env = { HOME: home }
    const wrong = await runHere(['login', server.url], { env, input: 'crm_wrong' })
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('This key is not known.')])
    expect((await runHere(['login', server.url], { env, input: ' \n' })).err).toContain('There was no key.')
    expect((await runHere(['login', 'http://127.0.0.1:1'], { env, input: 'crm_x' })).code).toBe(7)
    expect((await runHere(['login', 'ftp://x'], { env, input: 'crm_x' })).err).toContain('"ftp://x" is not the address of a server. (expected: http')
    expect((await runHere(['login', 'https://me:hunter2@x'], { env, input: 'crm_x' })).err).toContain('"https://…@x" holds a name or a password')
    expect((await runHere(['login'], { env, input: 'crm_x' })).err).toContain('login needs URL.')
    for (const words of [['--key', 'x'], ['--key=x'], ['--key']])
      expect((await runHere(['login', server.url, ...words], { env })).err).toMatch(
        /login has no flag --key\..*\n.*Pipe the key in: .*or set CRM_URL and CRM_KEY/,
      )
    expect(existsSync(join(home, '.config'))).toBe(false)
  })

  test('keeps nothing when a person stops it, or has nothing to say', async () => {
    const home = await temporaryFolder()
    const typing = (...typed: string[]) => runHere(['login'], { env: { HOME: home, NO_COLOR: '1' }, columns: 80, typed })
    expect(await typing('\u0003')).toMatchObject({ code: 130, err: expect.stringMatching(/\ncrm: Stopped\. Nothing was done\.\n$/) })
    expect(await typing('\r', '\u0003')).toMatchObject({ code: 130, err: expect.stringMatching(/\ncrm: Stopped\. Nothing was done\.\n$/) })
    expect(await typing('\u0004')).toMatchObject({ code: 2, err: expect.stringContaining('login needs URL.') })
    expect(await typing('\r', '\u0004')).toMatchObject({ code: 2, err: expect.stringContaining('There was no key.') })
    expect(existsSync(join(home, '.config'))).toBe(false)
  })

  test('says so where others could read the key on its way', async () => {
    const { err } = await runHere(['login', 'http://crm.example.invalid'], { env: { HOME: await temporaryFolder() }, input: 'crm_x' })
    expect(err).toMatch(/^crm: http:\/\/crm\.example\.invalid is not encrypted/)
  })

  test('says so where commands go elsewhere all the same', async () => {
    const server = await serverForTest()
    const env = { HOME: await temporaryFolder(), CRM_PLATFORM: 'sqlite:x.db', NO_COLOR: '1' }
    const { err } = await runHere(['login', server.url], { env, columns: 80, typed: [`${server.key}\r`] })
    expect(err).toContain('Commands still go to another place, because CRM_PLATFORM is set.')
  })

  test('that others can read is not used', async () => {
    const { env, file } = await signedIn()
    chmodSync(file, 0o644)
    const { code, err } = await runHere(['get_many_leads'], { env })
    expect(code).toBe(3)
    expect(err).toBe(
      `crm: The login in ${file} can be read by others, so it is not used. [forbidden]\n  Revoke its key if it may have been seen. Then: chmod 600 ${file}\n`,
    )
    // Whoever goes elsewhere does not need it.
    expect((await runHere(['get_many_leads'], { env: { ...env, CRM_PLATFORM: 'sqlite::memory:' } })).code).toBe(0)
  })

  test('that is damaged is told', async () => {
    const { env, file } = await signedIn()
    for (const text of ['', '{}', '{"url":1,"key":2}', 'nonsense']) {
      writeFileSync(file, text)
      expect((await runHere(['get_many_leads'], { env })).err).toContain(`The login in ${file} is damaged.`)
    }
  })
})

describe('crm login --status', () => {
  test('says where commands go, why, and as whom', async () => {
    const { server, env } = await signedIn()
    const status = async (more: object = {}, words: string[] = []) => answerOf(await runHere(['login', '--status', ...words], { env: { ...env, ...more } }))
    expect(await status()).toMatchObject({ Server: server.url, Store: null, Because: 'crm login was used', SignedInTo: server.url, User: 'Admin' })
    const cwd = await temporaryFolder()
    const platform = `sqlite:${join(cwd, 'crm.db')}`
    expect(await status({ CRM_PLATFORM: platform })).toMatchObject({
      Server: null,
      Store: join(cwd, 'crm.db'),
      Because: 'CRM_PLATFORM is set',
      SignedInTo: server.url,
    })
    expect(await status({}, ['--platform', platform])).toMatchObject({
      Because: '--platform was given',
      Remark: expect.stringContaining('There is no store yet'),
    })
    expect(existsSync(join(cwd, 'crm.db'))).toBe(false)
  })
})

describe('crm logout', () => {
  test('forgets the login', async () => {
    const { env, file } = await signedIn()
    expect(answerOf(await runHere(['logout'], { env }))).toEqual({ SignedOut: true, File: file })
    expect(existsSync(file)).toBe(false)
    expect(answerOf(await runHere(['logout'], { env }))).toEqual({ SignedOut: false, File: null })
    expect(answerOf(await runHere(['login', '--status', '--platform', 'sqlite:nowhere.db'], { env }))).toMatchObject({ SignedInTo: null })
  })

  test('also forgets one that is damaged or that others can read', async () => {
    const { env, file } = await signedIn()
    writeFileSync(file, 'nonsense')
    chmodSync(file, 0o644)
    expect(answerOf(await runHere(['logout'], { env }))).toMatchObject({ SignedOut: true })
  })
})

test('the built command signs in from a pipe, as a script does', async () => {
  const server = await serverForTest()
  const home = await temporaryFolder()
  const how = { cwd: home, env: { HOME: home } }
  expect(answerOf(await crm(['login', server.url], { ...how, input: `${server.key}\n` }))).toMatchObject({ Server: server.url })
  expect(answerOf(await crm(['get_current_user'], how))).toMatchObject({ Name: 'Admin', KeyID: expect.any(String) })
})
