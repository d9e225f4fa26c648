import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { FAULTS } from 'crm-simulators'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { secretVariable } from '../../src/config/secrets.ts'
import { CRM_NAMES } from '../../src/platforms/crms/names.ts'
import { CRMS } from '../../src/platforms/crms/registry.ts'
import { runHere } from '../support/cli.ts'
import { collected, shell, spawnCrm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

/** A simulator as a process of its own, ended with the test. */
async function simulator(...words: string[]) {
  const child = spawnCrm(['simulate', ...words, '--port', '0'], { cwd: await temporaryFolder() })
  const [out, err] = [collected(child.stdout), collected(child.stderr)]
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  await vi.waitFor(() => expect(out() + err()).toMatch(/Ctrl-C|\[\w+\]/), 60_000)
  return { child, out, err, ended, url: /Listening on (\S+)/.exec(out())?.[1] ?? '' }
}

describe.each(CRM_NAMES)('crm simulate %s', (name) => {
  test('says where it listens and how to use it, and ends without a word', async () => {
    const { secrets } = CRMS[name].simulator
    const { label } = await CRMS[name].kind()
    const { child, out, err, ended, url } = await simulator(name, '--fault', 'slow=1ms', '--seed', '7')
    const variables = Object.entries(secrets).map(([secret, value]) => `${secretVariable(name.toUpperCase(), secret)}=${value}`)
    expect(out()).toMatch(new RegExp(`^${label}, simulated\\. Listening on http://127\\.0\\.0\\.1:\\d+\\nWhat goes wrong: slow=1ms\\n`))
    expect(out()).toContain(`\n  ${variables.join(' ')} npx crm serve --platform ${name}:${url}\n`)
    const curls = [...out().matchAll(/^ {2}(curl .*)$/gm)].map(([, line = '']) => line)
    const answers = []
    for (const line of curls) answers.push(JSON.parse((await shell(line, { cwd: '/' })).out))
    expect(answers).toMatchObject([{ on: ['slow=1', 'drop-after=0.1'] }, { on: [] }, { calls: 0, faults: [] }])
    child.kill('SIGINT')
    expect([await ended, err()]).toEqual([[0, null], ''])
  })

  test('is a platform for crm serve as it says', async () => {
    const cwd = await temporaryFolder()
    const { out, url } = await simulator(name)
    const [, line = ''] = /^ {2}(.* npx crm serve .*)$/m.exec(out()) ?? []
    const [assigned = '', words = ''] = line.split(' npx crm ')
    const env = Object.fromEntries(assigned.split(' ').map((one) => one.split('='))) as Record<string, string>
    const service = spawnCrm([...words.split(' '), '--port', '0'], { cwd, env })
    const [said, log] = [collected(service.stdout), collected(service.stderr)]
    const ended = once(service, 'close')
    await vi.waitFor(() => expect(said()).toContain('curl'), 60_000)
    const [, curl = ''] = /^ {2}(curl .*)$/m.exec(said()) ?? []
    const [, address = ''] = /^Listening on (\S+)/.exec(said()) ?? []
    expect(JSON.parse((await shell(curl, { cwd })).out)).toMatchObject({ FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' })
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
    if (name !== 'espocrm')
      expect(await (await fetch(`${address}/metrics`)).text()).toMatch(
        new RegExp(`^crm_platform_quota_used\\{platform="${name}",workspace="\\*"\\} \\d+\n[\\s\\S]*^crm_platform_quota_limit\\{.*\\} \\d{4,}$`, 'm'),
      )
    expect(JSON.parse(log().split('\n')[0] ?? '')).toMatchObject({ msg: 'serving', platform: `${name}:${url}`, store: './data/journal.db' })
    service.kill()
    expect(await ended).toEqual([0, null])
  })

  test('takes secrets that the platform of that name knows', async () => {
    expect(Object.keys((await CRMS[name].kind()).secrets)).toEqual(expect.arrayContaining(Object.keys(CRMS[name].simulator.secrets)))
  })
})

describe('crm simulate', () => {
  test('has a port of its own for each CRM, and ends on SIGTERM too', async () => {
    expect(new Set(Object.values(CRMS).map(({ simulator }) => simulator.port)).size).toBe(CRM_NAMES.length)
    const { child, ended } = await simulator('hubspot')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  test('ends at once while an answer is still to come', async () => {
    const { child, ended, url } = await simulator('espocrm', '--fault', 'slow=500s')
    const asked = fetch(`${url}/api/v1/Lead`).catch(() => 'dropped')
    await vi.waitFor(async () => expect(await (await fetch(`${url}/simulator`)).json()).toMatchObject({ calls: 1 }), 60_000)
    child.kill('SIGTERM')
    expect([await ended, await asked]).toEqual([[0, null], 'dropped'])
  })

  test('warns where others can reach it, and says how it is reached from here', async () => {
    const { err, url } = await simulator('espocrm', '--host', '0.0.0.0')
    expect(err()).toBe('Everybody who can reach 0.0.0.0 can do everything with this simulator.\n')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${url}/simulator`)).status).toBe(200)
  })

  test('refuses a name, a fault, a port and a place that make no sense', async () => {
    const refused = async (...words: string[]) => {
      const { code, err, out } = await runHere(['simulate', ...words])
      expect(out).toBe('')
      return [code, err]
    }
    expect(await refused('salesfroce')).toEqual([
      2,
      'crm: There is no simulator for "salesfroce". [invalid_input]\n  Did you mean salesforce? There are: salesforce, hubspot, espocrm.\n',
    ])
    expect(await refused()).toEqual([2, expect.stringContaining('simulate needs CRM.')])
    const [code, err] = await refused('hubspot', '--fault', 'dorp-after=0.1', '--fault', 'slow=often', '--fault', 'rate-limit=0.5')
    expect(code).toBe(2)
    expect(err).toMatch(
      /^crm: Nothing was started\. \[invalid_input\]\n {2}--fault: There is no fault "dorp-after=0\.1"\. There are: .*\(did you mean drop-after\?\)\n {2}--fault: slow=often makes no sense; a time such as 500ms or 2s is expected\.\n/,
    )
    for (const fault of Object.keys(FAULTS)) expect(err).toContain(fault)
    expect(await refused('hubspot', '--fault', 'field-security=contacts.emial')).toEqual([
      2,
      expect.stringContaining('There is no field contacts.emial that could be hidden.'),
    ])
    expect(await refused('hubspot', '--port', '99999')).toEqual([2, expect.stringContaining('--port cannot be "99999"')])
    expect(await refused('hubspot', '--host', '192.0.2.1')).toEqual([2, expect.stringContaining('192.0.2.1 is not an address of this machine.')])
  })

  test('says when its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { code, err } = await runHere(['simulate', 'hubspot', '--port', String(port)])
    expect([code, err]).toEqual([
      7,
      `crm: Port ${port} on 127.0.0.1 is already in use. [platform_unavailable]\n  Choose another with --port; 0 takes any free one.\n`,
    ])
  })

  test('explains every fault', async () => {
    const { code, out } = await runHere(['simulate', '--help'])
    expect(code).toBe(0)
    for (const [name, { help }] of Object.entries(FAULTS)) expect(out).toMatch(new RegExp(`^ {2}${name} +${help}`, 'm'))
  })

  test('is completed by shells, with its CRMs and its faults', async () => {
    const { out } = await runHere(['completion', 'bash'])
    for (const word of [...CRM_NAMES, ...Object.keys(FAULTS)]) expect(out).toContain(word)
  })
})
