import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Problem } from '../../src/contract/errors.ts'
import { answerOf, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PLACES } from '../support/places.ts'
import { type RunningService, startService } from '../support/service.ts'

const LEADS = 5_000
const SOON = { timeout: 60_000, interval: 2 }

/** A store with a workspace that takes a while to be erased, and what is needed to start services on it. */
async function filled(place: Awaited<ReturnType<(typeof PLACES)[string]>>) {
  const [cwd, store] = [await temporaryFolder(), await place.open()]
  onTestFinished(() => store.close())
  const env = { CRM_PLATFORM: place.url, CRM_LOG_LEVEL: 'error', CRM_ADMIN_KEY: `crm_${'erasure'.repeat(5)}` }
  const start = () => startService(cwd, { env })
  const one = await start()
  const { WorkspaceID, Key } = await one.call('create_workspace', { Name: 'acme' })
  const Input = { FirstName: 'Ada', LastName: 'Lovelace-4711' }
  const body = { Operations: Array.from({ length: 1_000 }, () => ({ Operation: 'create_a_lead', Input })) }
  for (let i = 0; i < LEADS / 1_000; i++) {
    const headers = { authorization: `Bearer ${Key}`, 'content-type': 'application/json' }
    expect((await fetch(`${one.url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(200)
  }
  const { number = 0 } = (await store.workspace('acme')) ?? {}
  expect(await store.contents(number)).toMatchObject({ Lead: LEADS })

  /** Resolves in the middle of the erasure, unless the machine stalls for as long as the rest of it takes. */
  async function deleted(by: RunningService): Promise<void> {
    const { plan } = (await (await by.post('delete_workspace', { WorkspaceID })).json()) as Problem
    expect((await by.post('delete_workspace', { WorkspaceID }, { 'confirmation-token': plan?.Token ?? '' })).status).toBe(200)
    await vi.waitFor(async () => expect((await store.contents(number)).Lead ?? 0).toBeLessThan(LEADS), SOON)
  }

  /** Nothing of the workspace is left, and the rest is as it was. */
  async function expectErased(by: RunningService): Promise<void> {
    await vi.waitFor(async () => expect(await store.workspace('acme')).toBeUndefined(), { timeout: 120_000 })
    expect(await store.contents(number)).toEqual({})
    await vi.waitFor(async () => expect(await place.has('4711')).toBe(false), { timeout: 60_000, interval: 500 })
    expect(await by.call('create_workspace', { Name: 'acme' })).toMatchObject({ Name: 'acme', State: 'active' })
    expect(answerOf(await crm(['audit', 'verify'], { cwd, env }))).toMatchObject({ Workspaces: [{ Verified: true }, { Verified: true }] })
  }
  return { one, start, deleted, expectErased }
}

describe.each(Object.entries(PLACES))('%s', (_, placed) => {
  test('an erasure whose process is killed is completed after the next start', async () => {
    const { one, start, deleted, expectErased } = await filled(await placed())
    await deleted(one)
    expect(await one.end('SIGKILL')).toBe('SIGKILL')
    await expectErased(await start())
  })

  test('an erasure is completed by another process that is running', async () => {
    const { one, start, deleted, expectErased } = await filled(await placed())
    const other = await start()
    await deleted(one)
    expect(await one.end('SIGKILL')).toBe('SIGKILL')
    await expectErased(other)
    expect(other.err()).toBe('')
  })
})
