import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { describe, expect, onTestFinished, test } from 'vitest'
import { examineConfig, readConfig } from '../../src/config/settings.ts'
import { answerOf, crm, type Ran } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

const configure = (cwd: string, file: unknown) => writeFileSync(join(cwd, 'crm.config.json'), typeof file === 'string' ? file : JSON.stringify(file))

describe('what a command is told', () => {
  test('by a flag is stronger than by a variable, and that stronger than in the file', async () => {
    const cwd = await temporaryFolder()
    const env = { CRM_PLATFORM: 'sqlite:variable.db' }
    const there = () => ['file.db', 'variable.db', 'flag.db', 'data/crm.db'].filter((name) => existsSync(join(cwd, name)))
    configure(cwd, { platform: 'sqlite:file.db' })
    answerOf(await crm(['workspaces', '--platform', 'sqlite:flag.db'], { cwd, env }))
    expect(there()).toEqual(['flag.db'])
    answerOf(await crm(['workspaces'], { cwd, env }))
    expect(there()).toEqual(['variable.db', 'flag.db'])
    answerOf(await crm(['workspaces'], { cwd, env: { CRM_PLATFORM: '' } }))
    expect(there()).toEqual(['file.db', 'variable.db', 'flag.db'])
    configure(cwd, {})
    answerOf(await crm(['workspaces'], { cwd }))
    expect(there()).toEqual(['file.db', 'variable.db', 'flag.db', 'data/crm.db'])
  })

  test('holds for every setting', () => {
    const flags = { host: 'flag' }
    const environment = {
      CRM_HOST: 'variable',
      CRM_PORT: '1',
      CRM_RATE_LIMIT: '60',
      CRM_CORS_ORIGIN: '*',
      CRM_TRUST_PROXY: 'false',
      CRM_LOG_LEVEL: 'warn',
      CRM_ADMIN_KEY: 'k'.repeat(32),
    }
    expect(readConfig(flags, environment)).toMatchObject({
      platform: 'sqlite:./data/crm.db',
      store: 'sqlite:./data/crm.db',
      host: 'flag',
      port: 1,
      rateLimit: 60,
      corsOrigin: '*',
      trustProxy: undefined,
      logLevel: 'warn',
      adminKey: 'k'.repeat(32),
    })
  })

  test('that closes a set must allow what new records are born with', async () => {
    const cwd = await temporaryFolder()
    configure(cwd, { allowedValues: { Lead: { Status: ['Contacted'] } } })
    const refused = await crm(['create_a_lead', '--FirstName', 'a', '--LastName', 'b'], { cwd })
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('must allow "Open"')])
  })

  test('in the file about values closes their sets and gives them meaning', async () => {
    const cwd = await temporaryFolder()
    configure(cwd, { wonStages: ['Sold'], allowedValues: { Opportunity: { Stage: ['Open', 'Sold'] } } })
    const create = (Stage: string) => crm(['create_opportunity', '--OpportunityName', 'x', '--CloseDate', '2026-12-31', '--Stage', Stage], { cwd })
    answerOf(await create('Sold'))
    const refused = await create('Closed Won')
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Open, Sold')])
    expect(answerOf(await crm(['get_summary_opportunity'], { cwd }))).toMatchObject({ Won: { Count: 1 } })
  })
})

describe('what CRMs are watched', () => {
  const CRM_PLATFORM = 'hubspot:'

  test('is all of them, every two minutes, unless it is switched off', () => {
    const watch = (CRM_WATCH_INTERVAL?: string) => readConfig({}, { CRM_PLATFORM, ...(CRM_WATCH_INTERVAL && { CRM_WATCH_INTERVAL }) }).watch
    expect(watch()).toEqual({ intervalMs: 120_000, requestsPerDay: 20_000 })
    expect(watch('0.5')?.intervalMs).toBe(500)
    expect([watch('off'), watch('OFF'), watch('0')]).toEqual([undefined, undefined, undefined])
    expect(() => watch('often')).toThrow('CRM_WATCH_INTERVAL must be a number of seconds above 0, at most 100000, or off.')
  })

  test('is said for the first workspace by settings, and for others beside their platform in the file', () => {
    expect(readConfig({}, { CRM_PLATFORM }).mirrorUse).toEqual({ watch: true, reads: 'mirror' })
    expect(readConfig({ reads: 'crm' }, { CRM_PLATFORM, CRM_WATCH: 'false' }).mirrorUse).toEqual({ watch: false, reads: 'crm' })
    expect(() => readConfig({}, { CRM_PLATFORM, CRM_READS: 'miror' })).toThrow('CRM_READS must be one of mirror, crm.')
  })

  test('in the file is checked with everything else', async () => {
    const cwd = await temporaryFolder()
    configure(cwd, { watch: 'no', workspaces: { acme: { platform: 'hubspot:', watch: 'no', reads: 'store' } } })
    const { code, err } = await crm(['workspaces'], { cwd })
    expect(code).toBe(2)
    for (const fault of ['watch must be true or false', 'workspaces.acme.watch must be true or false', 'workspaces.acme.reads must be one of mirror, crm'])
      expect(err).toContain(fault)
  })

  test('in the file is shown at the connections of the configuration', async () => {
    const [cwd, simulator] = [await temporaryFolder(), await startSimulator(simulateHubSpot)]
    onTestFinished(() => simulator.close())
    configure(cwd, { platform: `hubspot:${simulator.url}`, watch: false, reads: 'crm' })
    const env = { CRM_HUBSPOT_TOKEN: 'simulator' }
    expect(answerOf(await crm(['get_many_connections'], { cwd, env }))).toMatchObject({ Records: [{ Configured: true, Watch: false, Reads: 'crm' }] })
    expect(answerOf(await crm(['get_mirror'], { cwd, env }))).toMatchObject({ Watched: false, Reads: 'crm', RecordTypes: [] })
    expect(answerOf(await crm(['mirror'], { cwd, env }))).toMatchObject({ Accounts: [{ Workspace: 'default', Watched: false }], Mirrors: [] })
  })
})

describe('how people sign in', () => {
  const issuer = { CRM_OIDC_ISSUER: 'https://login.example.com', CRM_OIDC_CLIENT_ID: 'crm' }

  test('needs an issuer, a client and rules, and names all that is missing', async () => {
    const fields = (environment: NodeJS.ProcessEnv) => examineConfig({}, environment).faults.map(({ field }) => field)
    expect(fields(issuer)).toEqual(['crm.config.json: signIn'])
    expect(fields({ CRM_OIDC_CLIENT_ID: 'crm', CRM_OIDC_CLIENT_SECRET: 's' })).toEqual(['CRM_OIDC_CLIENT_ID', 'CRM_OIDC_CLIENT_SECRET'])
    expect(fields({ CRM_OIDC_ISSUER: 'http://login.example.com', CRM_OIDC_SCOPES: 'email', CRM_SESSION_HOURS: '0' })).toEqual([
      'CRM_SESSION_HOURS',
      'CRM_OIDC_ISSUER',
      'CRM_OIDC_CLIENT_ID',
      'CRM_OIDC_SCOPES',
      'crm.config.json: signIn',
    ])
  })

  test('is checked by the service and by the doctor alone: a command in a shell without the issuer works', async () => {
    const cwd = await temporaryFolder()
    configure(cwd, { signIn: { rules: [{ claims: { groups: 'x' }, role: 'admin' }] } })
    const [listed, served, examined] = [await crm(['get_many_leads'], { cwd }), await crm(['serve'], { cwd }), await crm(['doctor'], { cwd })]
    expect(listed).toMatchObject({ code: 0, err: '' })
    expect([served.code, served.err]).toEqual([2, expect.stringContaining('signIn needs CRM_OIDC_ISSUER too.')])
    expect(examined.out).toContain('signIn needs CRM_OIDC_ISSUER too.')
  })

  test('is off unless given, and its secret is never shown or read from the file', async () => {
    expect(readConfig({}, {}).oidc).toBeUndefined()
    const cwd = await temporaryFolder()
    configure(cwd, { oidcClientSecret: 'hidden-text', signIn: { rules: [{ claims: { groups: 'x' }, role: 'admin' }] } })
    const { out, err } = await crm(['doctor'], { cwd, env: { ...issuer, CRM_OIDC_CLIENT_SECRET: 'hidden-text' } })
    expect(out).toContain('use CRM_OIDC_CLIENT_SECRET')
    expect(out + err).not.toContain('hidden-text')
  })
})

describe('a configuration with faults', () => {
  function expectFaults({ code, out, err }: Ran, ...says: (string | RegExp)[]): void {
    expect({ code, out }).toEqual({ code: 2, out: '' })
    for (const one of says) expect(err).toMatch(one)
    expect(err).not.toMatch(/\n\s+at /)
  }

  test('is refused with all of them at once, each with where it was said and what is nearest', async () => {
    const cwd = await temporaryFolder()
    configure(cwd, {
      prot: 1,
      rateLimit: 'fast',
      host: ['x'],
      wonStages: 'Sold',
      adminKey: 'x',
      workspaces: { a: 'b' },
      allowedValues: { Lead: { Stage: [] } },
    })
    const ran = await crm(['serve', '--port', '99999'], { cwd, env: { CRM_LOG_LEVEL: 'inof', CRM_ADMIN_KEY: 'too short' } })
    expectFaults(
      ran,
      /^crm: The configuration has 10 faults\. \[invalid_input\]\n/,
      /\n {2}crm\.config\.json: prot: crm\.config\.json has no setting called prot\. \(expected: .*; did you mean port\?\)\n/,
      /\n {2}crm\.config\.json: rateLimit must be a whole number from 1 to/,
      /\n {2}crm\.config\.json: host: host must be a text, a number or a truth value\.\n/,
      /\n {2}crm\.config\.json: wonStages: /,
      /\n {2}crm\.config\.json: adminKey: A secret does not belong in the file; use CRM_ADMIN_KEY\.\n/,
      /\n {2}crm\.config\.json: workspaces: /,
      /\n {2}crm\.config\.json: allowedValues\.Lead\.Stage: .*expected: .*Lead\.Status/,
      /\n {2}CRM_ADMIN_KEY must be 32 or more visible characters without spaces\.\n/,
      /\n {2}--port must be a whole number from 0 to 65535\.\n/,
      /\n {2}CRM_LOG_LEVEL must be one of .*did you mean info\?\)\n/,
    )
    expect(ran.err).not.toContain('too short')
  })

  test.each([
    [{ CRM_TRUST_PROXY: 'nonsense' }, /CRM_TRUST_PROXY must be/],
    [{ CRM_TRUST_PROXY: '10.0.0.0/99' }, /CRM_TRUST_PROXY must be/],
    [{ CRM_TRUST_PROXY: '-1' }, /CRM_TRUST_PROXY must be/],
    [{ CRM_CORS_ORIGIN: 'app.example.com' }, /CRM_CORS_ORIGIN must be/],
    [{ CRM_CORS_ORIGIN: 'https://app.example.com/page' }, /CRM_CORS_ORIGIN must be/],
    [{ CRM_CURRENCY: 'eur' }, /CRM_CURRENCY must be the code of a currency \(ISO 4217\), such as EUR/],
    [{ CRM_CURRENCY: 'Euro' }, /CRM_CURRENCY must be/],
    [{ CRM_RATE_LIMIT: '0' }, /CRM_RATE_LIMIT must be/],
    [{ CRM_PORT: '80.5' }, /CRM_PORT must be/],
    [{ CRM_PORT: ' ' }, /CRM_PORT must be/],
  ])('such as %j is refused', (environment, says) => {
    expect(() => readConfig({}, environment)).toThrow(says)
  })

  test.each([
    { CRM_TRUST_PROXY: '2' },
    { CRM_TRUST_PROXY: 'true' },
    { CRM_TRUST_PROXY: '10.0.0.0/8, ::1' },
    { CRM_CORS_ORIGIN: '*' },
    { CRM_CORS_ORIGIN: 'https://a.example/, http://localhost:3000' },
    { CRM_CURRENCY: 'JPY' },
    { CRM_PORT: '0' },
  ])('is not one with %j', (environment) => {
    expect(() => readConfig({}, environment)).not.toThrow()
  })

  test('or a file that is no JSON, or no object, is refused before anything is opened', async () => {
    const cwd = await temporaryFolder()
    for (const [file, says] of [
      ['{"port": 1,}', /crm\.config\.json is not JSON/],
      ['[]', /must hold an object/],
    ] as const) {
      configure(cwd, file)
      expectFaults(await crm(['get_many_leads'], { cwd }), says)
    }
    configure(cwd, { prot: 1 })
    expectFaults(await crm(['get_many_leads'], { cwd }), /did you mean port/)
    expect(existsSync(join(cwd, 'data'))).toBe(false)
  })

  test('a platform that nobody knows is refused without showing what its address holds', async () => {
    const cwd = await temporaryFolder()
    const { code, err } = await crm(['get_many_leads', '--store', 'oracle://crm:hunter2@db/crm'], { cwd })
    expect(code).toBe(2)
    expect(err).toMatch(/^crm: CRM_STORE: There is no platform for "oracle"\. \(expected: sqlite:PATH/)
    expect(err).not.toContain('hunter2')
  })
})
