import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator } from 'crm-simulators'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shownStore } from '../../src/app/store-address.ts'
import { crmAddress, normalizeAddress } from '../../src/config/crm-address.ts'
import { readCrmSettings } from '../../src/config/crm-settings.ts'
import { readSecrets, secretVariable } from '../../src/config/secrets.ts'
import { readConfig } from '../../src/config/settings.ts'
import type { Fault } from '../../src/contract/errors.ts'
import { CRMS } from '../../src/platforms/crms/registry.ts'
import { answerOf, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

const ACME = 'salesforce:https://acme.my.salesforce.com'

describe('the address of a CRM', () => {
  test.each([
    [ACME, { name: 'salesforce', place: 'https://acme.my.salesforce.com' }],
    ['salesforce:https://ACME.my.salesforce.com/', { name: 'salesforce', place: 'https://acme.my.salesforce.com' }],
    ['hubspot:', { name: 'hubspot', place: '' }],
    ['HubSpot', { name: 'hubspot', place: '' }],
    ['espocrm:http://127.0.0.1:8487/crm/', { name: 'espocrm', place: 'http://127.0.0.1:8487/crm' }],
    ['sqlite:salesforce.db', undefined],
    ['salesforces:https://x.example', undefined],
    ['postgres://salesforce:x@db/crm', undefined],
  ])('%s', (url, address) => expect(crmAddress(url)).toEqual(address))

  test.each([
    'salesforce:acme.my.salesforce.com',
    'salesforce:https://',
    'espocrm:https://x.example/?key=hunter2',
    'espocrm:https://me:hunter2@x.example',
    'hubspot:hunter2',
  ])('%s is refused, and not shown', (url) => {
    expect(() => readConfig({ platform: url }, {})).toThrow(/--platform (must be|holds)/)
    expect(() => readConfig({ platform: url }, {})).not.toThrow(/hunter2/)
    expect(normalizeAddress(url)).not.toContain('hunter2')
    expect(shownStore(url)).toMatch(/^\w+:…$/)
  })
})

describe('a CRM as platform', () => {
  test('has a store of its own beside it', () => {
    const beside = (environment: NodeJS.ProcessEnv, platform = ACME) => readConfig({ platform }, environment).store
    expect(beside({})).toBe('sqlite:./data/journal.db')
    expect(beside({ CRM_STORE: 'postgres://db/crm' })).toBe('postgres://db/crm')
    expect(beside({}, 'sqlite:x.db')).toBe('sqlite:x.db')
  })

  test('can be no store, and says so', async () => {
    const cwd = await temporaryFolder()
    const { code, err } = await crm(['workspaces', '--store', 'hubspot:'], { cwd })
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^crm: The configuration has a fault: --store cannot be a CRM: it holds users, keys and the journal\./),
    ])
    const moved = await crm(['migrate-store', ACME, 'sqlite:x.db'], { cwd })
    expect([moved.code, moved.err]).toEqual([6, expect.stringContaining(`${ACME} is a CRM and no store`)])
    expect(existsSync(join(cwd, 'data'))).toBe(false)
  })

  test('is left alone by a backup, which copies the store beside it', async () => {
    const cwd = await temporaryFolder()
    const env = { CRM_PLATFORM: ACME, CRM_STORE: 'sqlite:journal.db' }
    expect((await crm(['workspaces', '--platform', 'sqlite:journal.db'], { cwd })).code).toBe(0)
    expect(JSON.parse((await crm(['backup', 'monday.db'], { cwd, env })).out)).toMatchObject({ Store: 'journal.db', Backup: 'monday.db' })
    expect(JSON.parse((await crm(['restore', 'monday.db', '--force'], { cwd, env })).out)).toMatchObject({ Store: 'journal.db' })
  })

  test('has no past that could be told of', async () => {
    const { code, err } = await crm(['demo', '--platform', ACME], { cwd: await temporaryFolder() })
    expect([code, err]).toEqual([6, expect.stringContaining('A CRM cannot be filled with records of the past')])
  })
})

describe('an account that the file says more of', () => {
  const simulated = async () => {
    const simulator = await startSimulator(await CRMS.salesforce.simulator.load())
    onTestFinished(() => simulator.close())
    return simulator.url
  }

  /** A folder with such a file, and commands in it. */
  async function configured(platforms: unknown, platform: string) {
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'crm.config.json'), JSON.stringify({ platform, platforms }))
    const env = { HOME: cwd, CRM_SALESFORCE_CLIENT_ID: 'simulator', CRM_SALESFORCE_CLIENT_SECRET: 'simulator' }
    return (words: string[], more: Record<string, string> = {}) => crm(words, { cwd, env: { ...env, ...more } })
  }

  test('has further fields, which are created, filtered by and answered like any other', async () => {
    const fields = { Company: { name: 'Company', kind: 'text', label: 'Company' }, Phone: 'MobilePhone' }
    const run = await configured({ salesforce: { tables: { Lead: { fields } } } }, `salesforce:${await simulated()}`)
    const input = { FirstName: 'Ada', LastName: 'Lovelace', Phone: '1', Company: "O'Brien & Söhne" }
    expect(answerOf(await run(['create_a_lead', '--json', JSON.stringify(input)]))).toMatchObject(input)
    const found = answerOf(await run(['get_many_leads', '--json', JSON.stringify({ Filters: { Company: input.Company }, Select: ['Company', 'Phone'] })]))
    expect(found.Records).toMatchObject([{ Company: input.Company, Phone: '1' }])
  })

  test('is not opened while anything of it is wrong, and everything is told at once', async () => {
    const url = await simulated()
    const platforms = { salesforce: { options: { apiVresion: '62.0' }, tables: { Lead: { fields: { Emial: 'Email__c' } }, Leed: {} } } }
    const run = await configured(platforms, `salesforce:${url}`)
    const { code, err } = await run(['get_many_leads'], { CRM_SALESFORCE_CLIENT_ID_FILE: 'nowhere' })
    expect(code).toBe(2)
    expect(err).toMatch(/^crm: The configuration has 4 faults\. \[invalid_input\]\n/)
    for (const meant of ['apiVersion', 'Email', 'Lead']) expect(err).toContain(`did you mean ${meant}?`)
    expect(err).toContain('CRM_SALESFORCE_CLIENT_ID and CRM_SALESFORCE_CLIENT_ID_FILE are both set')
    expect(await (await fetch(`${url}/simulator`)).json()).toMatchObject({ calls: 0 })
  })

  test('says which secrets are missing, and shows none', async () => {
    const run = await configured({}, `salesforce:${await simulated()}`)
    const { code, err } = await run(['get_many_leads'], { CRM_SALESFORCE_CLIENT_SECRET: 'hunter2' })
    expect([code, err]).toEqual([3, expect.stringMatching(/^crm: The platform salesforce:http:\/\/127\.0\.0\.1:\d+ cannot be opened: .*\[unauthenticated\]/)])
    expect(err).not.toContain('hunter2')
  })
})

describe('what the file says of a CRM', () => {
  function settings(platforms: unknown, url = ACME, environment: NodeJS.ProcessEnv = {}) {
    const faults: Fault[] = []
    const address = crmAddress(url)
    const { crms, unused } = readCrmSettings(platforms, address ? [address] : [], environment, faults)
    return { settings: crms[url], faults, unused }
  }

  test('is nothing at first', () => {
    expect(settings(undefined)).toEqual({
      faults: [],
      unused: [],
      settings: {
        name: 'salesforce',
        place: 'https://acme.my.salesforce.com',
        quotaFloor: 0,
        timeoutMs: 30_000,
        retryMs: 15_000,
        settleMs: 120_000,
        sections: [],
        prefix: 'SALESFORCE',
        variables: {},
      },
    })
  })

  test('by its address is stronger than by its name', () => {
    const tables = { Lead: { object: 'Prospect__c' } }
    const platforms = {
      salesforce: { quotaFloor: 100, timeout: 5, retry: 0, options: { apiVersion: 62 } },
      [`${ACME}/`]: { timeout: 10, settle: 60, secrets: 'ACME', tables },
      hubspot: { timeout: 1 },
    }
    const environment = { CRM_ACME_CLIENT_ID: 'x', CRM_SALESFORCE_CLIENT_ID: 'y', CRM_ACME_EMPTY: '' }
    const { settings: said, faults } = settings(platforms, ACME, environment)
    expect(faults).toEqual([])
    expect(said).toMatchObject({ quotaFloor: 100, timeoutMs: 10_000, retryMs: 0, settleMs: 60_000, prefix: 'ACME', variables: { CRM_ACME_CLIENT_ID: 'x' } })
    expect(said?.sections).toMatchObject([
      { at: 'crm.config.json: platforms.salesforce', options: { apiVersion: '62' } },
      { at: `crm.config.json: platforms.${ACME}`, tables },
    ])
  })

  test('may be about an account where nothing lives', () => {
    const platforms = {
      espocrm: {},
      'hubspot:': {},
      [ACME]: {},
      'espocrm:https://x.example': {},
      'oracle://me:hunter2@db/x': {},
      'espocrm:https://me:hunter2@x': {},
    }
    expect(settings(platforms).unused).toEqual(['espocrm:https://x.example'])
  })

  test('is refused with every fault at once, each with where it was said and what is nearest', () => {
    const { faults } = settings({
      salesfroce: {},
      hubspot: 5,
      salesforce: { timeuot: 5, timeout: '5', quotaFloor: -1, settle: 1e9, options: ['x'], clientSecret: 'hunter2', secrets: { clientId: 'hunter2' } },
      'espocrm:https://me:hunter2@x.example': {},
      'oracle://me:hunter2@db/x': {},
      [ACME]: { secrets: 'WEBHOOK' },
    })
    expect(faults.map(({ field, code, didYouMean }) => [field.replace('crm.config.json: platforms.', ''), code, didYouMean])).toEqual([
      ['salesfroce', 'unknown', 'salesforce'],
      ['hubspot', 'type', undefined],
      ['salesforce.secrets', 'form', undefined],
      ['salesforce.timeuot', 'unknown', 'timeout'],
      ['salesforce.clientSecret', 'value', undefined],
      ['salesforce.quotaFloor', 'value', undefined],
      ['salesforce.timeout', 'value', undefined],
      ['salesforce.settle', 'value', undefined],
      ['salesforce.options', 'type', undefined],
      ['espocrm:…', 'value', undefined],
      ['oracle', 'unknown', undefined],
      [`${ACME}.secrets`, 'value', undefined],
    ])
    expect(faults[4]?.message).toBe(
      'A secret does not belong in the file; use CRM_SALESFORCE_CLIENT_SECRET, or CRM_SALESFORCE_CLIENT_SECRET_FILE for a file that holds it.',
    )
    expect(JSON.stringify(faults)).not.toContain('hunter2')
    expect(settings([]).faults).toMatchObject([{ field: 'crm.config.json: platforms', code: 'type' }])
  })
})

describe('the secrets of a CRM', () => {
  const NAMES = ['clientId', 'privateKey', 'apiKey']

  test('have variables of their own', () => {
    expect(secretVariable('SALESFORCE', 'clientId')).toBe('CRM_SALESFORCE_CLIENT_ID')
    expect(secretVariable('ACME', 'oauth2Token')).toBe('CRM_ACME_OAUTH2_TOKEN')
  })

  test('come from a variable or from a file that one names', async () => {
    const file = join(await temporaryFolder(), 'key.pem')
    writeFileSync(file, '-----BEGIN KEY-----\nabc\n-----END KEY-----\n')
    const variables = { CRM_ACME_CLIENT_ID: ' mine ', CRM_ACME_PRIVATE_KEY_FILE: file, CRM_OTHER_API_KEY: 'x', CRM_ACME_API_KEY: '-----BEGIN KEY-----\\nabc' }
    const faults: Fault[] = []
    expect(readSecrets(NAMES, 'ACME', variables, faults)).toEqual([
      { name: 'clientId', value: 'mine', variable: 'CRM_ACME_CLIENT_ID' },
      { name: 'privateKey', value: '-----BEGIN KEY-----\nabc\n-----END KEY-----', variable: 'CRM_ACME_PRIVATE_KEY_FILE', file },
      { name: 'apiKey', value: '-----BEGIN KEY-----\nabc', variable: 'CRM_ACME_API_KEY' },
    ])
    expect(faults).toEqual([])
  })

  test('are refused where they are said twice, or where the file is not there or is empty', async () => {
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'empty'), '\n')
    const faults: Fault[] = []
    const variables = {
      CRM_A_CLIENT_ID: 'hunter2',
      CRM_A_CLIENT_ID_FILE: 'hunter3',
      CRM_A_PRIVATE_KEY_FILE: join(folder, 'empty'),
      CRM_A_API_KEY_FILE: join(folder, 'nowhere'),
    }
    expect(readSecrets(NAMES, 'A', variables, faults)).toEqual([])
    expect(faults.map(({ field, message }) => [field, message])).toEqual([
      ['CRM_A_CLIENT_ID', 'CRM_A_CLIENT_ID and CRM_A_CLIENT_ID_FILE are both set: give one of them.'],
      ['CRM_A_PRIVATE_KEY_FILE', expect.stringContaining('nothing in it')],
      ['CRM_A_API_KEY_FILE', expect.stringContaining('cannot be read: ENOENT')],
    ])
    expect(JSON.stringify(faults)).not.toContain('hunter')
  })
})
