import { describe, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../../../src/platforms/stores/postgres/postgres.ts'
import { crm } from '../../../support/crm.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { ask } from '../../../support/postgres-database.ts'
import { expectSoundPostgres } from '../../../support/postgres-sound.ts'
import { startService } from '../../../support/service.ts'
import { newStoreUrl } from '../../../support/store-urls.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const KEY = 'a-key-that-all-of-them-were-given-0123456789'

/** As many services, as on as many machines. */
async function tenServices(env: Record<string, string>) {
  const folders = await Promise.all(Array.from({ length: 10 }, () => temporaryFolder()))
  return Promise.all(folders.map((cwd) => startService(cwd, { env: { CRM_LOG_LEVEL: 'error', ...env } })))
}

const MADE = `SELECT (SELECT COUNT(*) FROM "Schema") AS schemas, (SELECT COUNT(*) FROM "Workspace") AS workspaces, (SELECT COUNT(*) FROM "Chain") AS chains,
  (SELECT COUNT(*) FROM "User" WHERE "Role" = 'admin') AS admins, (SELECT COUNT(*) FROM "Key" WHERE "RevokedDate" IS NULL) AS keys, (SELECT COUNT(*) FROM "KeyPlace") AS places`
const ONE_OF_EACH = [{ schemas: '1', workspaces: '1', chains: '1', admins: '1', keys: '1', places: '1' }]

describe('ten processes that start in the same moment on an empty database', () => {
  test('all come up, with one schema, one workspace and one first admin, whose key one folder has', async () => {
    const url = await newStoreUrl('postgres')
    const services = await tenServices({ CRM_PLATFORM: url })
    expect(await ask(url, MADE)).toEqual(ONE_OF_EACH)
    const keys = services.flatMap(({ key }) => {
      try {
        return [key()]
      } catch {
        return []
      }
    })
    expect(keys).toHaveLength(1)
    const headers = { authorization: `Bearer ${keys[0]}` }
    for (const { post } of services) expect((await post('create_a_lead', ADA, headers)).status).toBe(200)
    expect(services.filter(({ out }) => /The admin's key is in /.test(out()))).toHaveLength(1)
    expect(services.map(({ err }) => err()).join('')).toBe('')
    await Promise.all(services.map(({ end }) => end()))
    await expectSoundPostgres(url)
  })

  test('and are all given the same admin’s key all come up and accept it, and there is one such key', async () => {
    const url = await newStoreUrl('postgres')
    const services = await tenServices({ CRM_PLATFORM: url, CRM_ADMIN_KEY: KEY })
    expect(await ask(url, MADE)).toEqual(ONE_OF_EACH)
    for (const { call } of services) expect(await call('get_current_user')).toMatchObject({ Role: 'admin', Workspace: 'default' })
    expect(await Promise.all(services.map(({ end }) => end()))).toEqual(services.map(() => 0))
    expect(services.map(({ err }) => err()).join('')).toBe('')
  })
})

describe('a database that cannot be used', () => {
  const PASSWORD = 'no-one-may-see-this'
  const changed = (url: string, change: (url: URL) => void) => {
    const other = new URL(url)
    change(other)
    return other.href
  }
  const cases: { readonly [what: string]: { readonly make: (url: string) => string | Promise<string>; readonly exit: number; readonly says: RegExp } } = {
    'because the password is wrong': {
      make: (url) =>
        changed(url, (other) => {
          other.password = PASSWORD
        }),
      exit: 2,
      says: /password authentication failed/,
    },
    'because it does not exist': {
      make: (url) =>
        changed(url, (other) => {
          other.pathname = '/nowhere'
        }),
      exit: 2,
      says: /database "nowhere" does not exist/,
    },
    'because nobody answers there': {
      make: (url) =>
        changed(url, (other) => {
          other.port = '1'
        }),
      exit: 7,
      says: /ECONNREFUSED/,
    },
    'because there is no such host': {
      make: () => `postgres://crm:${PASSWORD}@nowhere.invalid/crm`,
      exit: 7,
      says: /nowhere\.invalid/,
    },
    'because its address is none': {
      make: () => `postgres://crm:${PASSWORD}@host:port/crm`,
      exit: 2,
      says: /not the address of a PostgreSQL database/,
    },
    'because its address has an unknown parameter': {
      make: (url) => `${url}?passwort=${PASSWORD}`,
      exit: 2,
      says: /unknown parameter "passwort"/,
    },
    'because it keeps text otherwise': {
      async make(url) {
        const name = `crm_latin1_${process.pid}`
        await ask(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`)
        onTestFinished(async () => void (await ask(url, `DROP DATABASE ${name} WITH (FORCE)`)))
        return changed(url, (other) => {
          other.pathname = `/${name}`
        })
      },
      exit: 6,
      says: /stores text as LATIN1; UTF8 is needed/,
    },
    'because it belongs to another program': {
      async make(url) {
        await ask(url, 'CREATE TABLE "User" (id INTEGER)')
        return url
      },
      exit: 2,
      says: /"User" of another program/,
    },
    'because it is newer': {
      async make(url) {
        await (await openPostgres(url)).close()
        await ask(url, 'UPDATE "Schema" SET "Version" = 99')
        return url
      },
      exit: 6,
      says: /newer CRM Connector \(schema 99, .*Upgrade/,
    },
  }

  test.each(Object.entries(cases))('%s is refused with its reason, and nobody sees the password', async (_, { make, exit, says }) => {
    const url = await make(await newStoreUrl('postgres'))
    const cwd = await temporaryFolder()
    for (const words of [['serve'], ['get_many_leads']]) {
      const { code, out, err } = await crm(words, { cwd, env: { CRM_PLATFORM: url, CRM_PORT: '0', CRM_LOG_LEVEL: 'trace' } })
      expect({ code, out }).toEqual({ code: exit, out: '' })
      expect(err).toMatch(says)
      expect(err).not.toMatch(/^ +at /m)
      for (const secret of [PASSWORD, new URL(url.replace(':port', '')).password]) {
        expect(err).not.toContain(secret)
        expect(err).not.toContain(decodeURIComponent(secret))
      }
    }
  })
})
