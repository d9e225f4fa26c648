import { startSimulator } from 'crm-simulators'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ALL_CRMS } from '../support/crms/all.ts'
import { temporaryFolder } from '../support/folder.ts'
import { otherClient } from '../support/other-client.ts'
import { PLACES } from '../support/places.ts'
import { type RunningService, startService } from '../support/service.ts'

const SOON = { timeout: 60_000, interval: 100 }
const CRM_SECRET_KEYS = Buffer.alloc(32, 7).toString('base64')

type Announced = { readonly Type: string; readonly RecordID: string; readonly Source: string }

/** All events of leads so far, oldest first. */
async function leadEvents(service: RunningService): Promise<Announced[]> {
  const { Events } = (await service.call('get_many_events', { Limit: 1000 })) as { Events: Announced[] }
  return Events.filter(({ Type }) => Type.startsWith('lead.'))
}

const [[, hubspot]] = ALL_CRMS.filter(([name]) => name === 'hubspot') as [(typeof ALL_CRMS)[number]]

describe.each(Object.entries(PLACES))('%s: the process that watches is killed', (_, placed) => {
  test('another one takes over, and announces each change once', async () => {
    const [cwd, place, simulator] = [await temporaryFolder(), await placed(), await startSimulator(hubspot.simulate)]
    onTestFinished(() => simulator.close())
    const other = await otherClient(hubspot, simulator.url)
    onTestFinished(() => other.close())
    const create = async (n: number) =>
      (await other.write(1, (writer) => writer.create('Lead', { FirstName: 'Ada', LastName: `Lovelace ${n}`, Status: 'Open' }))).LeadID as string
    await create(0)
    const env = {
      CRM_PLATFORM: place.url,
      CRM_LOG_LEVEL: 'error',
      CRM_CONNECT_PRIVATE: 'true',
      CRM_ADMIN_KEY: `crm_${'watched'.repeat(5)}`,
      CRM_SECRET_KEYS,
      CRM_WATCH_INTERVAL: '1',
    }
    const services = [await startService(cwd, { env }), await startService(cwd, { env })]
    const [first, second] = services as [RunningService, RunningService]
    await first.call('create_connection', { Platform: 'hubspot', Address: simulator.url, Secrets: { token: 'simulator' } })
    // The first changes may come before the mirror is backfilled, and are not announced then.
    await vi.waitFor(async () => {
      await create(1)
      expect(await leadEvents(second)).not.toEqual([])
    }, SOON)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await create(10 + n))
    expect(await first.end('SIGKILL')).toBe('SIGKILL')
    for (let n = 0; n < 5; n++) ids.push(await create(20 + n))
    await vi.waitFor(async () => {
      const told = await leadEvents(second)
      expect(ids.filter((id) => !told.some(({ RecordID }) => RecordID === id))).toEqual([])
    }, SOON)
    const told = await leadEvents(second)
    expect(new Set(told.map(({ RecordID }) => RecordID)).size).toBe(told.length)
    expect(told.every(({ Type, Source }) => Type === 'lead.created' && Source === 'crm')).toBe(true)
  })
})
