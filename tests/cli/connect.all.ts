import { once } from 'node:events'
import { startSimulator } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { expect, onTestFinished, test, vi } from 'vitest'
import { decide } from '../support/consent.ts'
import { answerOf, collected, crm, spawnCrm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

const SOON = { timeout: 60_000, interval: 50 }

/** Runs `crm connect` until it has printed the address to go to. */
async function connecting(cwd: string, env: Record<string, string>, ...more: readonly string[]) {
  const child = spawnCrm(['connect', 'salesforce', '--port', '0', '--no-open', '--output', 'json', ...more], { cwd, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [collected(child.stdout), collected(child.stderr)]
  const ended = once(child, 'close').then(([code]) => code as number)
  const link = await vi.waitFor(() => {
    const [found] = /https?:\S+authorize\S+/.exec(err()) ?? []
    if (found === undefined) throw new Error(err())
    return found
  }, SOON)
  return { link, ended, out, err }
}

test('crm connect sends a person to the CRM, waits for the browser, and connects the workspace', async () => {
  const [cwd, simulator] = [await temporaryFolder(), await startSimulator(simulateSalesforce)]
  onTestFinished(() => simulator.close())
  const env = { CRM_CONNECT_PRIVATE: 'true', CRM_SALESFORCE_CLIENT_ID: 'simulator', CRM_SALESFORCE_CLIENT_SECRET: 'simulator' }
  const denied = await connecting(cwd, env, '--address', simulator.url)
  expect((await fetch(await decide(denied.link, 'deny'))).status).toBe(400)
  expect(await denied.ended).not.toBe(0)

  const { link, ended, out } = await connecting(cwd, env, '--address', simulator.url)
  const back = await fetch(await decide(link))
  expect([back.status, await back.text()]).toEqual([200, expect.stringContaining('connected')])
  expect(await ended).toBe(0)
  expect(JSON.parse(out())).toMatchObject({ Platform: 'salesforce', State: 'connected', InUse: true })
  const { Records } = answerOf(await crm(['get_many_connections'], { cwd, env })) as { Records: object[] }
  expect(Records).toHaveLength(1)
  const { LeadID } = answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { cwd, env }))
  expect(LeadID).toMatch(/^00Q/)
})

test('a link needs an address that browsers reach, before anything is created', async () => {
  const cwd = await temporaryFolder()
  const env = { CRM_CONNECT_PRIVATE: 'true', CRM_HUBSPOT_CLIENT_ID: 'simulator', CRM_HUBSPOT_CLIENT_SECRET: 'simulator' }
  const refused = await crm(['connect', 'hubspot', '--link'], { cwd, env })
  expect([refused.code, refused.err]).toEqual([6, expect.stringContaining('CRM_PUBLIC_URL')])
  expect(answerOf(await crm(['get_many_connections'], { cwd, env }))).toMatchObject({ Records: [] })
  const { Link } = answerOf(await crm(['connect', 'hubspot', '--link'], { cwd, env: { ...env, CRM_PUBLIC_URL: 'https://crm.example.com' } }))
  expect(Link).toMatch(/^https:\/\/crm\.example\.com\/connect\//)
})

test('without a client id it says which variables to set', async () => {
  const cwd = await temporaryFolder()
  const { code, err } = await crm(['connect', 'hubspot'], { cwd })
  expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('CRM_HUBSPOT_CLIENT_ID')])
  expect(code).not.toBe(0)
  expect((await crm(['connect', 'espocrm'], { cwd })).err).toContain('crm create_connection')
})
