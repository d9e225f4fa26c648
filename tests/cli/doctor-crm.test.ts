import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Simulator, startSimulator } from 'crm-simulators'
import { describe, expect, onTestFinished, test } from 'vitest'
import { secretVariable } from '../../src/config/secrets.ts'
import { CRM_NAMES, type CrmName } from '../../src/platforms/crms/names.ts'
import { CRMS } from '../../src/platforms/crms/registry.ts'
import { runHere } from '../support/cli.ts'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

interface Found {
  readonly Area: string
  readonly Name: string
  readonly State: 'good' | 'doubtful' | 'bad'
  readonly Says: string
  readonly Todo?: string
}

async function simulated(name: CrmName, ...faults: string[]): Promise<Simulator> {
  const simulator = await startSimulator(await CRMS[name].simulator.load(), { faults })
  onTestFinished(() => simulator.close())
  return simulator
}

/** What the doctor finds of a platform, and how it ends. */
async function examined(platform: string, env: Record<string, string>) {
  const home = await temporaryFolder()
  const ran = await runHere(['doctor'], { env: { HOME: home, CRM_PORT: '0', CRM_STORE: `sqlite:${join(home, 'journal.db')}`, CRM_PLATFORM: platform, ...env } })
  if (ran.out === '') throw new Error(ran.err)
  const { Findings: findings } = JSON.parse(ran.out) as { Findings: Found[] }
  const of = (name: string, area = 'Platform') => findings.find(({ Name, Area }) => Name === name && Area === area)
  return { code: ran.code, out: ran.out, bad: findings.filter(({ State }) => State === 'bad'), findings, of }
}

const secretsOf = (name: CrmName, value = 'simulator') =>
  Object.fromEntries(Object.keys(CRMS[name].simulator.secrets).map((secret) => [secretVariable(name.toUpperCase(), secret), value]))

describe.each(CRM_NAMES)('crm doctor looks at an account of %s', (name) => {
  test('and finds nothing wrong with what is well', async () => {
    const { url } = await simulated(name)
    const { code, bad, of, findings } = await examined(`${name}:${url}`, secretsOf(name))
    expect(bad).toEqual([])
    expect(code).toBe(0)
    expect(of('Address')?.Says).toBe(`${name}:${url}`)
    expect(of('Secrets')?.Says).toContain(Object.keys(secretsOf(name))[0])
    expect(findings.filter(({ Area }) => Area === 'Platform').length).toBeGreaterThan(3)
    if (name !== 'espocrm') expect(of('Quota')?.Says).toMatch(/^\d+ of [\d,]+ .* are used$/)
  })

  test('and says which secrets there could be where there are none, without asking for anything', async () => {
    const simulator = await simulated(name)
    const { code, of } = await examined(`${name}:${simulator.url}`, {})
    expect(code).toBe(3)
    for (const variable of Object.keys(secretsOf(name))) expect(of('Secrets')?.Todo).toContain(variable)
    expect(await (await fetch(`${simulator.url}/simulator`)).json()).toMatchObject({ calls: 0 })
  })

  test('and never shows a secret, however wrong it is', async () => {
    const { url } = await simulated(name)
    const { code, out, bad } = await examined(`${name}:${url}`, secretsOf(name, 'hunter2-hunter2'))
    expect(code).toBe(3)
    expect(bad[0]?.Todo).toMatch(/./)
    expect(out).not.toContain('hunter2')
  })

  test('and says when it cannot be reached', async () => {
    const { code, bad } = await examined(`${name}:http://127.0.0.1:1`, secretsOf(name))
    expect([code, bad.length]).toEqual([7, 1])
  })
})

describe('crm doctor', () => {
  test('says that others can read a file with a secret, that an address is not encrypted, and what variable was meant', async () => {
    const { url } = await simulated('salesforce')
    const file = join(await temporaryFolder(), 'secret')
    writeFileSync(file, 'simulator\n')
    chmodSync(file, 0o644)
    const { code, of, findings } = await examined(`salesforce:${url}`, {
      CRM_SALESFORCE_CLIENT_ID: 'simulator',
      CRM_SALESFORCE_CLIENT_SECRET_FILE: file,
      CRM_SALESFORCE_CLEINT_ID: 'x',
      CRM_HUBSPOT_TOKEN: 'for another platform',
    })
    expect(code).toBe(0)
    expect(of('CRM_SALESFORCE_CLIENT_SECRET_FILE')).toMatchObject({ State: 'doubtful', Todo: `chmod 600 ${file}` })
    expect(of('CRM_SALESFORCE_CLEINT_ID', 'Configuration')).toMatchObject({ State: 'doubtful', Todo: 'Did you mean CRM_SALESFORCE_CLIENT_ID?' })
    expect(findings.map(({ Name }) => Name)).not.toContain('CRM_HUBSPOT_TOKEN')
    expect((await examined('espocrm:http://crm.example.com', {})).of('Address')).toMatchObject({ State: 'doubtful', Todo: 'Use https.' })
  })

  test('holds the quota against what is to be left of it, and says what is wrong with what the file says', async () => {
    const cwd = await temporaryFolder()
    const { url } = await simulated('salesforce')
    const env = { HOME: cwd, CRM_PORT: '0', CRM_PLATFORM: `salesforce:${url}`, ...secretsOf('salesforce') }
    const doctor = async (platforms: unknown) => {
      writeFileSync(join(cwd, 'crm.config.json'), JSON.stringify({ platforms }))
      const { code, out } = await crm(['doctor'], { cwd, env })
      return [code, (JSON.parse(out) as { Findings: Found[] }).Findings.filter(({ State }) => State !== 'good')] as const
    }
    expect(await doctor({ salesforce: { quotaFloor: 15_000 } })).toMatchObject([
      7,
      [{ Name: 'Quota', Says: expect.stringContaining('15,000 are to be left: no further requests are sent') }],
    ])
    expect(await doctor({ salesforce: { quotaFloor: 14_000 } })).toMatchObject([0, [{ Name: 'Quota', State: 'doubtful' }]])
    const [code, faults] = await doctor({
      salesforce: { options: { apiVresion: '62.0', clientSecret: 'hunter2' }, tables: { Lead: { fields: { Emial: 'Email__c' } } } },
      'salesforce:https://other.example': {},
    })
    expect(code).toBe(2)
    expect(faults.map(({ Name, Todo }) => [Name.replace('crm.config.json: platforms.', ''), Todo])).toEqual([
      ['salesforce:https://other.example', expect.stringContaining('as in CRM_PLATFORM')],
      ['salesforce.options.apiVresion', expect.stringContaining('Did you mean apiVersion?')],
      ['salesforce.options.clientSecret', expect.any(String)],
      ['salesforce.tables.Lead.fields.Emial', expect.stringContaining('Did you mean Email?')],
    ])
    expect(JSON.stringify(faults)).not.toContain('hunter2')
  })
})
