import { join } from 'node:path'
import { startSimulator } from 'crm-simulators'
import { expect, onTestFinished, test } from 'vitest'
import { countName, lastDays, RequestCounts } from '../../src/app/request-counts.ts'
import { CRMS } from '../../src/platforms/crms/registry.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { runHere } from '../support/cli.ts'
import { temporaryFolder } from '../support/folder.ts'

interface Found {
  readonly Name: string
  readonly State: string
  readonly Says: string
}

async function prepared() {
  const simulator = await startSimulator(await CRMS.hubspot.simulator.load())
  onTestFinished(() => simulator.close())
  const home = await temporaryFolder()
  const file = join(home, 'journal.db')
  const url = `hubspot:${simulator.url}`
  const env = { HOME: home, CRM_PORT: '0', CRM_STORE: `sqlite:${file}`, CRM_PLATFORM: url, CRM_HUBSPOT_TOKEN: 'simulator' }
  const findings = async () => {
    const { out, code } = await runHere(['doctor'], { env })
    const { Findings } = JSON.parse(out) as { Findings: Found[] }
    return { code, of: (name: string) => Findings.find(({ Name }) => Name === name) }
  }
  return { simulator, url, file, env, findings }
}

test('crm doctor counts what was sent in the last week, of what the account allows', async () => {
  const { url, file, env, findings } = await prepared()
  expect((await findings()).of('Requests')).toBeUndefined()
  expect((await runHere(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { env })).code).toBe(0)
  expect((await findings()).of('Requests')).toMatchObject({
    State: 'good',
    Says: expect.stringMatching(/^about (\d+) a day in the last week, at most \1, of [\d,]+ /),
  })
  const store = await openSqlite(file)
  const [, yesterday = '', before = ''] = lastDays(Date.now())
  await store.takeFromRateLimit(countName(url, yesterday), 600_000, 1_000_000, 8 * 86_400_000)
  await store.takeFromRateLimit(countName(url, before), 400_000, 1_000_000, 8 * 86_400_000)
  await store.close()
  expect((await findings()).of('Requests')).toMatchObject({
    State: 'doubtful',
    Says: expect.stringContaining('about 500,000 a day in the last week, at most 600,000'),
  })
})

test('counts of several processes add up', async () => {
  const store = await openSqlite(':memory:')
  const processes = [new RequestCounts(), new RequestCounts()]
  for (const counts of processes) for (let n = 0; n < 3; n++) counts.add('hubspot:')
  for (const counts of processes) await counts.stop(store)
  const used = await Promise.all(
    lastDays(Date.now()).map((day) => store.takeFromRateLimit(countName('hubspot:', day), 0, 1, 8 * 86_400_000).then((state) => state.used)),
  )
  await store.close()
  // At midnight they are on two days.
  expect(used.reduce((sum, one) => sum + one, 0)).toBe(6)
})

test('crm doctor tells what could not be checked from what is wrong', async () => {
  const { simulator, findings } = await prepared()
  simulator.faults.add('error=1:/crm-object-schemas/2026-03/schemas')
  const { code, of } = await findings()
  expect(of('Sign-in')).toMatchObject({ State: 'good' })
  expect(of('Custom objects')).toMatchObject({ State: 'unchecked' })
  expect(code).toBe(0)
})
