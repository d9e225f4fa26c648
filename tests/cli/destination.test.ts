import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callTarget, serverUrl } from '../../src/config/call-target.ts'
import { runHere } from '../support/cli.ts'
import { answerOf, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'

const ONE = 'https://one.example'
const TWO = 'https://two.example'
const kept = { url: TWO, key: 'kept' }

describe('where commands go', () => {
  test.each<[string, object, object, typeof kept | undefined, object]>([
    ['nowhere else', {}, {}, undefined, { kind: 'store', key: undefined, because: 'nothing else is configured' }],
    ['a login', {}, {}, kept, { kind: 'server', ...kept, because: 'crm login was used' }],
    ['CRM_URL before a login', {}, { CRM_URL: ONE, CRM_KEY: 'k' }, kept, { kind: 'server', url: ONE, key: 'k' }],
    ['CRM_URL with the key of the login there', {}, { CRM_URL: `${TWO}/` }, kept, { kind: 'server', url: TWO, key: 'kept' }],
    ['CRM_URL before CRM_PLATFORM', {}, { CRM_URL: ONE, CRM_KEY: 'k', CRM_PLATFORM: 'sqlite:a' }, undefined, { kind: 'server', url: ONE }],
    ['CRM_PLATFORM before a login', {}, { CRM_PLATFORM: 'sqlite:a' }, kept, { kind: 'store', key: undefined, because: 'CRM_PLATFORM is set' }],
    ['CRM_STORE before a login', {}, { CRM_STORE: 'sqlite:a' }, kept, { kind: 'store', because: 'CRM_STORE is set' }],
    ['CRM_KEY alone, on the store', {}, { CRM_KEY: 'k' }, undefined, { kind: 'store', key: 'k', because: 'CRM_KEY is set' }],
    ['CRM_KEY alone, which no login is for', {}, { CRM_KEY: 'k' }, kept, { kind: 'store', key: 'k' }],
    [
      '--platform before everything',
      { platform: 'sqlite:a' },
      { CRM_URL: ONE, CRM_KEY: 'k' },
      kept,
      { kind: 'store', key: undefined, because: '--platform was given' },
    ],
    ['--platform as the user of CRM_KEY', { platform: 'sqlite:a' }, { CRM_KEY: 'k' }, kept, { kind: 'store', key: 'k' }],
    ['--store before everything', { store: 'sqlite:a' }, {}, kept, { kind: 'store', because: '--store was given' }],
    ['--url with CRM_KEY', { url: ONE }, { CRM_KEY: 'k', CRM_PLATFORM: 'sqlite:a' }, kept, { kind: 'server', url: ONE, key: 'k', because: '--url was given' }],
    ['--url with the key of the login there', { url: TWO }, {}, kept, { kind: 'server', url: TWO, key: 'kept' }],
    ['what is empty is not said', {}, { CRM_URL: '', CRM_KEY: '', CRM_PLATFORM: '' }, kept, { kind: 'server', ...kept }],
  ])('%s', (_, flags, environment, login, destination) => {
    expect(callTarget(flags, environment as Record<string, string>, () => login)).toMatchObject(destination)
  })

  test.each<[string, object, object, RegExp]>([
    ['a server without a key', {}, { CRM_URL: ONE }, /There is no key for https:\/\/one\.example\./],
    ['a key of another server', { url: ONE }, { CRM_URL: TWO, CRM_KEY: 'k' }, /There is no key for https:\/\/one\.example\./],
    ['two places at once', { url: ONE, platform: 'sqlite:a' }, {}, /--url and --platform name two different places\./],
    ['what is no address', {}, { CRM_URL: 'one.example' }, /CRM_URL is not the address of a server\./],
    ['another protocol', { url: 'ftp://one.example' }, {}, /--url is not the address/],
    ['a password in an address', {}, { CRM_URL: 'https://me:secret@one.example' }, /CRM_URL holds a name or a password/],
  ])('%s is refused', (_, flags, environment, says) => {
    expect(() => callTarget(flags, environment as Record<string, string>, () => kept)).toThrow(says)
  })

  test('an address has one spelling', () => {
    for (const text of ['HTTPS://One.example', 'https://one.example/', 'https://one.example:443//']) expect(serverUrl(text, 'URL')).toBe(ONE)
    expect(serverUrl('http://127.0.0.1:8484/crm/', 'URL')).toBe('http://127.0.0.1:8484/crm')
  })

  test('is said by a folder before a login, but no folder names a server or a key', async () => {
    const cwd = await temporaryFolder()
    const configure = (file: object) => writeFileSync(join(cwd, 'crm.config.json'), JSON.stringify(file))
    configure({ platform: 'sqlite:mine.db' })
    expect(answerOf(await crm(['login', '--status'], { cwd, env: { HOME: cwd } }))).toMatchObject({
      Server: null,
      Store: 'mine.db',
      Because: 'crm.config.json names a platform',
    })
    for (const secret of [{ url: ONE }, { key: 'k' }]) {
      configure(secret)
      const { code, err } = await crm(['get_many_leads'], { cwd, env: { HOME: cwd } })
      expect([code, err]).toEqual([2, expect.stringContaining('does not belong in the file')])
    }
  })
})

describe('through a server', () => {
  test('an operation is the same as on the store, with the rights of the key', async () => {
    const server = await serverForTest()
    const cwd = await temporaryFolder()
    const env = { HOME: cwd, CRM_URL: server.url, CRM_KEY: server.key }
    const lead = answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { cwd, env }))
    expect(await server.call('get_leads', { LeadID: lead.LeadID })).toMatchObject({ FirstName: 'Ada' })
    const { Key } = await server.call('create_key', { Scopes: ['read'] })
    const reader = { ...env, CRM_KEY: String(Key) }
    expect(answerOf(await runHere(['get_many_leads'], { env: reader }))).toMatchObject({ Records: [{ LeadID: lead.LeadID }] })
    const forbidden = await runHere(['delete_lead', '--LeadID', String(lead.LeadID)], { env: reader })
    expect([forbidden.code, forbidden.err]).toEqual([3, expect.stringContaining('[forbidden]')])
    const { Records } = (await server.call('get_many_changes', { Filters: { Operation: 'create_a_lead' } })) as { Records: object[] }
    expect(Records).toMatchObject([{ Transport: 'http' }])
    const batch = { Operations: [{ Operation: 'Get Current User' }] }
    expect(answerOf(await runHere(['batch', '-'], { env, input: JSON.stringify(batch) }))).toMatchObject({ Results: [{ Status: 200 }] })
  })

  test('that does not answer it is unavailable', async () => {
    const env = { HOME: await temporaryFolder(), CRM_URL: 'http://127.0.0.1:1', CRM_KEY: 'k' }
    const { code, out, err } = await runHere(['get_current_user'], { env })
    expect({ code, out }).toEqual({ code: 7, out: '' })
    expect(err).toContain('[platform_unavailable]')
  })

  test('a key that is not known is told how to get one', async () => {
    const server = await serverForTest()
    const { code, err } = await runHere(['get_current_user'], { env: { CRM_URL: server.url, CRM_KEY: 'crm_wrong' } })
    expect([code, err]).toEqual([3, expect.stringContaining('Set CRM_KEY to a valid key, or sign in with: crm login URL')])
  })

  test('nobody chooses a workspace, since the key does', async () => {
    const env = { HOME: await temporaryFolder(), CRM_URL: ONE, CRM_KEY: 'k' }
    const { code, err } = await runHere(['get_many_leads', '--workspace', 'sandbox'], { env })
    expect([code, err]).toEqual([2, expect.stringContaining('--workspace does not go with a key')])
  })
})

describe('what works on the store itself', () => {
  test.each([
    ['backup', 'x.db'],
    ['restore', 'x.db'],
    ['audit', 'verify'],
  ])('such as %s %s refuses a server', async (...words) => {
    const { code, out, err } = await runHere([...words, '--url', ONE], { env: { HOME: await temporaryFolder() } })
    expect({ code, out }).toEqual({ code: 6, out: '' })
    expect(err).toContain('works on the store itself, not through a server.')
  })

  test('takes no notice of one that others go through, and says so to a person', async () => {
    const cwd = await temporaryFolder()
    const env = { HOME: cwd, NO_COLOR: '1', CRM_URL: ONE, CRM_KEY: 'k', CRM_PLATFORM: `sqlite:${join(cwd, 'crm.db')}` }
    const { code, err } = await runHere(['audit', 'verify'], { env, columns: 80 })
    expect([code, err]).toEqual([4, expect.stringContaining(`This works on the store itself, not through ${ONE}.\n`)])
  })

  test('with CRM_KEY alone acts as the user of that key', async () => {
    const cwd = await temporaryFolder()
    const env = { HOME: cwd, CRM_PLATFORM: `sqlite:${join(cwd, 'crm.db')}` }
    const { Key } = answerOf(await runHere(['create_key', '--Label', 'mine', '--Scopes', 'read'], { env }))
    expect(answerOf(await runHere(['get_current_user'], { env: { ...env, CRM_KEY: String(Key) } }))).toMatchObject({
      Scopes: ['read'],
      KeyID: expect.any(String),
    })
    expect((await runHere(['create_a_lead', '--FirstName', 'a', '--LastName', 'b'], { env: { ...env, CRM_KEY: String(Key) } })).code).toBe(3)
    expect((await runHere(['get_many_leads', '--workspace', 'default'], { env: { ...env, CRM_KEY: String(Key) } })).code).toBe(2)
  })
})
