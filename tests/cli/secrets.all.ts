import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openVault } from '../../src/app/secret-keys.ts'
import { keyIdOf } from '../../src/core/access/vault.ts'
import { runHere } from '../support/cli.ts'
import { answerOf, crm } from '../support/crm.ts'
import { ask } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { temporaryDatabase } from '../support/postgres.ts'
import { ask as askPostgres } from '../support/postgres-database.ts'
import { startService } from '../support/service.ts'
import { startTarget } from '../support/webhook-target.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const PLACE = { workspace: 1, type: 'Webhook', id: 'one', field: 'Secret' }

async function home() {
  const cwd = await temporaryFolder()
  const env: { [variable: string]: string } = { HOME: cwd, CRM_PLATFORM: `sqlite:${join(cwd, 'data/crm.db')}`, CRM_PORT: '0', CRM_WEBHOOK_PRIVATE: 'true' }
  const run = async (words: readonly string[], more: { readonly [variable: string]: string } = {}) => {
    const { code, out, err } = await runHere(words, { env: { ...env, ...more } })
    return { code, err, answer: out === '' ? undefined : (JSON.parse(out) as Record<string, unknown>) }
  }
  const hook = async (more?: { readonly [variable: string]: string }) => (await run(['create_webhook', '--URL', 'https://example.com/hook'], more)).answer
  const examined = async (more?: { readonly [variable: string]: string }) => {
    const { Findings } = (await run(['doctor'], more)).answer as { Findings: { Name: string; State: string; Says: string; Todo?: string }[] }
    return Findings.filter(({ Name }) => Name === 'Secrets' || Name === 'Secret keys')
  }
  return { cwd, env, file: join(cwd, 'data/secret-key'), db: join(cwd, 'data/crm.db'), run, hook, examined }
}

const bytesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('secret-key'))
    .map((path) => readFileSync(path))

describe('the file with the key', () => {
  test('is made with the first secret, for its owner only, and left out of what only reads', async () => {
    const { file, run, hook } = await home()
    await run(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
    await run(['create_webhook', '--URL', 'https://example.com/hook', '--dry-run'])
    expect((await run(['secrets'])).answer).toEqual({ Keys: [], Plain: 0, Unopened: 0 })
    expect(existsSync(file)).toBe(false)
    await hook()
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    const key = keyIdOf(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64'))
    expect((await run(['secrets'])).answer).toEqual({ Keys: [{ Key: key, Use: 'seals', Values: 1 }], Plain: 0, Unopened: 0 })
  })

  test('is the same for processes that make it at once', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'data/secret-key')
    // Both have looked before either has made it.
    const [one, other] = [openVault([], file), openVault([], file)]
    expect(other.open(one.seal('secret', PLACE), PLACE)).toBe('secret')
    expect(one.open(other.seal('secret', PLACE), PLACE)).toBe('secret')
    expect(readdirSync(join(folder, 'data'))).toEqual(['secret-key'])

    const { cwd, env, run } = await home()
    await run(['workspaces'])
    const making = Array.from({ length: 4 }, () => crm(['create_webhook', '--URL', 'https://example.com/hook'], { cwd, env }))
    for (const made of await Promise.all(making)) expect(answerOf(made).Secret).toMatch(/^whsec_/)
    expect((await run(['secrets'])).answer).toMatchObject({ Keys: [{ Use: 'seals', Values: 4 }], Unopened: 0 })
  })

  test('is not made anew where the store has values that were sealed with it', async () => {
    const { cwd, env, file, run, hook, examined } = await home()
    await hook()
    renameSync(file, `${file}.away`)
    const service = await startService(cwd, { env })
    expect(await service.end()).toBe(0)
    expect(service.err()).toMatch(/secret-key is missing.*CRM_SECRET_KEYS|CRM_SECRET_KEYS.*secret-key is missing/s)
    expect(await run(['create_webhook', '--URL', 'https://example.com/other'])).toMatchObject({ code: 7, err: expect.stringContaining(file) })
    expect((await run(['secrets', 'rotate'])).code).not.toBe(0)
    expect(await examined()).toMatchObject([
      { Name: 'Secret keys', State: 'bad', Says: expect.stringContaining(file) },
      { Name: 'Secrets', State: 'bad' },
    ])
    expect(existsSync(file)).toBe(false)
    renameSync(`${file}.away`, file)
    expect(await hook()).toMatchObject({ Secret: expect.stringMatching(/^whsec_/) })
    expect((await run(['secrets'])).answer).toMatchObject({ Keys: [{ Use: 'seals', Values: 2 }], Unopened: 0 })
  })

  test('that holds no key is refused, and so is a folder that cannot hold it', async () => {
    const { cwd, file, run, hook } = await home()
    await run(['workspaces'])
    writeFileSync(file, 'not a key\n')
    expect(await run(['secrets'])).toMatchObject({ code: 2, err: expect.stringContaining('does not hold keys') })
    writeFileSync(join(cwd, 'occupied'), '')
    expect(() => openVault([], join(cwd, 'occupied/secret-key')).sealingKey()).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('CRM_SECRET_KEYS') }),
    )
    expect(await hook({ CRM_SECRET_KEYS: '' })).toBeUndefined()
  })
})

test('of a store in the working directory, the key is in a folder of its own, which is found from elsewhere, too', async () => {
  const cwd = await temporaryFolder()
  const hook = ['create_webhook', '--URL', 'https://example.com/hook']
  answerOf(await crm([...hook, '--platform', 'sqlite:x.db'], { cwd }))
  expect(readdirSync(cwd).filter((name) => !name.startsWith('x.db'))).toEqual(['admin-key'])
  expect(readdirSync(join(cwd, 'x.db.keys')).sort()).toEqual(['.gitignore', 'secret-key'])
  const env = { CRM_PLATFORM: `sqlite:${join(cwd, 'x.db')}` }
  answerOf(await runHere(hook, { env }))
  expect(answerOf(await runHere(['secrets'], { env }))).toMatchObject({ Keys: [{ Use: 'seals', Values: 2 }], Unopened: 0 })
  const { Findings } = answerOf(await runHere(['doctor'], { env })) as { Findings: { Name: string; Says: string }[] }
  expect(Findings.find(({ Name }) => Name === 'Admin key')?.Says).toContain(join(cwd, 'admin-key'))
})

const MALFORMED: { readonly [what: string]: string } = {
  'a word': 'short',
  'a key and a word': `${first.toString('base64')},oops`,
  'too few bytes': randomBytes(31).toString('base64'),
  'no hex': 'g'.repeat(64),
  'too many characters': 'x'.repeat(44),
}

test.each(Object.entries(MALFORMED))('%s in CRM_SECRET_KEYS is refused, and not shown', async (_, given) => {
  const { run } = await home()
  const { code, err } = await run(['secrets'], { CRM_SECRET_KEYS: given })
  expect([code, err]).toEqual([2, expect.stringMatching(/CRM_SECRET_KEYS has a key of another form.*32 bytes in base64 or hex/s)])
  for (const word of given.split(',')) expect(err).not.toContain(word)
})

describe('crm secrets', () => {
  test('moves all values to the first key, and says what it could not open', async () => {
    const { run, hook, file, examined, db } = await home()
    await hook()
    const made = keyIdOf(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64'))
    const env = { CRM_SECRET_KEYS: `${first.toString('hex')}, ${second.toString('base64url')}` }
    await hook(env)
    const keys = (values: readonly number[]) => [
      { Key: keyIdOf(first), Use: 'seals', Values: values[0] },
      { Key: keyIdOf(second), Use: 'opens', Values: 0 },
      { Key: made, Use: 'opens', Values: values[1] },
    ]
    expect((await run(['secrets', 'list'], env)).answer).toEqual({ Keys: keys([1, 1]), Plain: 0, Unopened: 0 })
    await ask(db, `UPDATE "Webhook" SET "OldSecret" = 'whsec_plain' WHERE "Secret" LIKE 'sealed:1:${made}:%'`)
    expect(await examined(env)).toContainEqual(expect.objectContaining({ Name: 'Secrets', State: 'doubtful', Says: expect.stringContaining('plain text') }))
    const done = { Key: keyIdOf(first), Resealed: 1, SealedPlain: 1, Unopened: 0 }
    expect(await run(['secrets', 'rotate'], env)).toEqual({ code: 0, err: '', answer: done })
    expect(await run(['secrets', 'rotate'], env)).toEqual({ code: 0, err: '', answer: { ...done, Resealed: 0, SealedPlain: 0 } })
    expect((await run(['secrets'], env)).answer).toEqual({ Keys: keys([3, 0]), Plain: 0, Unopened: 0 })

    const lost = await run(['secrets', 'rotate'], { CRM_SECRET_KEYS: second.toString('hex') })
    expect(lost).toMatchObject({
      code: 5,
      err: expect.stringContaining('3 values cannot be opened'),
      answer: { Key: keyIdOf(second), Resealed: 0, Unopened: 3 },
    })
    expect((await run(['secrets'], env)).answer).toEqual({ Keys: keys([3, 0]), Plain: 0, Unopened: 0 })
  })

  test('works on the store itself, and makes none', async () => {
    const { cwd, run } = await home()
    expect(await run(['secrets'])).toMatchObject({ code: 4, err: expect.stringContaining('There is no store') })
    expect(await run(['secrets', 'rotate', '--url', 'http://127.0.0.1:9'])).toMatchObject({
      code: 6,
      err: expect.stringContaining('crm secrets rotate works on the store itself'),
    })
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('crm doctor', () => {
  test('says where the keys are, who can read them and what a backup needs', async () => {
    const { hook, examined, file } = await home()
    await hook()
    expect(await examined()).toMatchObject([
      { Name: 'Secret keys', State: 'good', Says: expect.stringMatching(/made in .*secret-key, .*crm backup leaves the key out/) },
      { Name: 'Secrets', State: 'good', Says: 'One is sealed' },
    ])
    expect(await examined({ CRM_SECRET_KEYS: first.toString('hex') })).toMatchObject([
      { State: 'good', Says: `${keyIdOf(first)}, by CRM_SECRET_KEYS; the first seals` },
      { State: 'good', Says: expect.stringContaining('which only open') },
      { Name: 'Secrets', State: 'good' },
    ])
    chmodSync(file, 0o644)
    expect(await examined()).toContainEqual(expect.objectContaining({ State: 'bad', Says: expect.stringContaining('(mode 644)') }))
  })

  test('finds what is sealed with a missing key, and what was moved', async () => {
    const { hook, examined, db } = await home()
    const env = { CRM_SECRET_KEYS: first.toString('hex') }
    const [one, other] = [await hook(env), await hook(env)]
    expect(await examined({ CRM_SECRET_KEYS: second.toString('hex') })).toContainEqual(
      expect.objectContaining({
        Name: 'Secrets',
        State: 'bad',
        Says: `2 are sealed with ${keyIdOf(first)}, which is not here.`,
        Todo: expect.stringContaining('CRM_SECRET_KEYS'),
      }),
    )
    await ask(
      db,
      `UPDATE "Webhook" SET "Secret" = (SELECT "Secret" FROM "Webhook" WHERE "WebhookID" = '${one?.WebhookID}') WHERE "WebhookID" = '${other?.WebhookID}'`,
    )
    const found = await examined(env)
    expect(found.filter(({ State }) => State === 'bad')).toEqual([
      expect.objectContaining({ Name: 'Secrets', Says: `One is altered, or moved from another place: Secret of Webhook ${other?.WebhookID}.` }),
    ])
  })

  test('advises services that share a database to have the same key', async () => {
    const { url, drop } = await temporaryDatabase()
    onTestFinished(drop)
    const { cwd, env } = await home()
    const shared = { ...env, CRM_PLATFORM: url }
    const made = answerOf(await crm(['create_webhook', '--URL', 'https://example.com/hook'], { cwd, env: shared }))
    expect(made.Secret).toMatch(/^whsec_/)
    const { out } = await crm(['doctor', '--output', 'json'], { cwd, env: shared })
    const { Findings } = JSON.parse(out) as { Findings: object[] }
    expect(Findings).toContainEqual(expect.objectContaining({ Name: 'Secret keys', Says: expect.stringContaining('CRM_SECRET_KEYS') }))
    expect(Findings).toContainEqual(expect.objectContaining({ Name: 'Secrets', State: 'doubtful', Todo: expect.stringContaining('CRM_SECRET_KEYS') }))
    const keyed = { ...shared, CRM_SECRET_KEYS: randomBytes(32).toString('hex') }
    expect((await crm(['secrets', 'rotate'], { cwd, env: shared })).err).toContain('CRM_SECRET_KEYS')
    expect(answerOf(await crm(['secrets', 'rotate', '--output', 'json'], { cwd, env: keyed }))).toMatchObject({ SealedPlain: 1, Unopened: 0 })
  })
})

describe('crm serve', () => {
  test('makes a key at its first start, and seals at the next what an earlier version has left in plain text', async () => {
    const { cwd, file, db, env } = await home()
    const target = await startTarget()
    const service = await startService(cwd, { env })
    expect(existsSync(file)).toBe(true)
    const { WebhookID } = await service.call('create_webhook', { URL: target.url, EventTypes: ['lead.*'] })
    expect(await service.end()).toBe(0)
    const plain = `whsec_${randomBytes(32).toString('base64')}`
    await ask(db, `UPDATE "Webhook" SET "Secret" = '${plain}'`)

    const again = await startService(cwd, { env })
    expect(await ask(db, 'SELECT "Secret" AS secret FROM "Webhook"')).toEqual([{ secret: expect.stringMatching(/^sealed:1:/) }])
    await again.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    await expect.poll(() => target.received.length).toBe(1)
    const [{ body, headers }] = target.received as [(typeof target.received)[number]]
    expect(() => new Verifier(plain).verify(body, headers as never)).not.toThrow()
    expect(await again.call('test_webhook', { WebhookID })).toMatchObject({ Delivered: true })
    expect(await again.end()).toBe(0)
    expect(again.err()).toContain('sealed the secrets that were stored in plain text')
    expect(service.err() + again.err()).not.toContain(plain)
  })

  test('seals what a database has in plain text once keys are configured, and not before', async () => {
    const { url, drop } = await temporaryDatabase()
    onTestFinished(drop)
    const { cwd, env, file } = await home()
    const secret = async () => (await askPostgres(url, 'SELECT "Secret" AS secret FROM "Webhook"'))[0]?.secret
    const shared = { ...env, CRM_PLATFORM: url, CRM_PROCESSES: '1' }
    answerOf(await crm(['create_webhook', '--URL', 'https://example.com/hook'], { cwd, env: { ...shared, CRM_SECRET_KEYS: first.toString('hex') } }))
    await askPostgres(url, `UPDATE "Webhook" SET "Secret" = 'whsec_AAAA'`)
    const without = await startService(cwd, { env: shared })
    expect([await without.end(), await secret(), existsSync(file)]).toEqual([0, 'whsec_AAAA', false])
    expect(without.err()).toContain('the same CRM_SECRET_KEYS')
    const withKeys = await startService(cwd, { env: { ...shared, CRM_SECRET_KEYS: first.toString('hex') } })
    expect([await withKeys.end(), await secret()]).toEqual([0, expect.stringContaining(`sealed:1:${keyIdOf(first)}:`)])
  })

  test('goes on without the key of a webhook, and logs that once', async () => {
    const { cwd, env, hook, run } = await home()
    await hook({ CRM_SECRET_KEYS: first.toString('hex') })
    const service = await startService(cwd, { env: { ...env, CRM_SECRET_KEYS: second.toString('hex') } })
    await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const failures = () =>
      service
        .err()
        .split('\n')
        .filter((line) => line.includes('background work failed'))
    await expect.poll(() => failures().length).toBe(1)
    // Several further rounds: each lead makes one.
    for (let i = 0; i < 5; i++) await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    expect((await run(['secrets'], { CRM_SECRET_KEYS: second.toString('hex') })).answer).toMatchObject({ Unopened: 1 })
    expect(await service.end()).toBe(0)
    expect(failures()).toEqual([expect.stringContaining(keyIdOf(first))])
    expect(failures()[0]).toContain('CRM_SECRET_KEYS')
  })
})

test('a backup and a moved store hold sealed values only, no key, and work with the key alone', async () => {
  const { cwd, run, hook, file } = await home()
  const made = (await hook()) as { WebhookID: string; Secret: string }
  const target = await startTarget()
  await run(['update_webhook', '--WebhookID', made.WebhookID, '--FieldsToUpdate', JSON.stringify({ URL: target.url })])
  await run(['backup', join(cwd, 'copies/monday.db')])
  await run(['migrate-store', `sqlite:${join(cwd, 'data/crm.db')}`, `sqlite:${join(cwd, 'moved/crm.db')}`])
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  for (const folder of ['data', 'copies', 'moved'])
    for (const bytes of bytesIn(join(cwd, folder)))
      for (const secret of [made.Secret, made.Secret.slice(6), key, readFileSync(file, 'utf8').trim()]) expect(bytes.includes(secret)).toBe(false)
  for (const folder of ['copies', 'moved']) expect(existsSync(join(cwd, folder, 'secret-key'))).toBe(false)
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  expect((await run(['migrate-store', `sqlite:${join(cwd, 'data/crm.db')}`, url])).code).toBe(0)
  expect(await askPostgres(url, 'SELECT "Secret" AS secret FROM "Webhook"')).toEqual([{ secret: expect.stringMatching(/^sealed:1:/) }])

  const elsewhere = { CRM_PLATFORM: `sqlite:${join(cwd, 'elsewhere/crm.db')}` }
  await run(['restore', join(cwd, 'copies/monday.db')], elsewhere)
  const testing = ['test_webhook', '--WebhookID', made.WebhookID]
  expect(await run(testing, elsewhere)).toMatchObject({ code: 7, err: expect.stringMatching(/sealed with the key .*CRM_SECRET_KEYS/s) })
  for (const store of [elsewhere, { CRM_PLATFORM: url }, { CRM_PLATFORM: `sqlite:${join(cwd, 'moved/crm.db')}` }])
    expect(await run(testing, { ...store, CRM_SECRET_KEYS: key.toString('hex') })).toMatchObject({ code: 0, answer: { Delivered: true } })
  for (const { body, headers } of target.received) expect(() => new Verifier(made.Secret).verify(body, headers as never)).not.toThrow()
})
