import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { crm } from '../../../support/crm.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { ask } from '../../../support/postgres-database.ts'
import { expectSoundPostgres } from '../../../support/postgres-sound.ts'
import { type RunningService, startService } from '../../../support/service.ts'
import { newStoreUrl } from '../../../support/store-urls.ts'
import { startTarget } from '../../../support/webhook-target.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const KEY = 'a-key-that-all-of-them-were-given-0123456789'

/** A service of its own, as on a machine of its own, that has the same database and admin's key as the others. */
async function serviceOn(url: string, env: Record<string, string> = {}): Promise<RunningService> {
  return startService(await temporaryFolder(), { env: { CRM_PLATFORM: url, CRM_ADMIN_KEY: KEY, CRM_LOG_LEVEL: 'error', ...env } })
}

describe('when the process that numbers the changes', () => {
  test.each(['SIGKILL', 'SIGSTOP'] as const)('gets %s, another takes over', async (signal) => {
    const url = await newStoreUrl('postgres')
    const first = await serviceOn(url)
    await expect.poll(() => ask(url, `SELECT 1 AS held FROM "Lease" WHERE "Name" = 'sequencer' AND "Until" > now()`)).toHaveLength(1)
    const others = await Promise.all([serviceOn(url), serviceOn(url)])
    for (const service of [first, ...others]) await service.call('create_a_lead', ADA)
    const unnumbered = async () => Number((await ask(url, 'SELECT COUNT(*) AS n FROM "Change" WHERE "Number" IS NULL'))[0]?.n)
    await expect.poll(unnumbered).toBe(0)

    first.child.kill(signal)
    for (const service of others) await service.call('create_a_lead', ADA)
    // Nobody asks for events: it is done all the same.
    await expect.poll(unnumbered).toBe(0)
    first.child.kill('SIGKILL')
    await expectSoundPostgres(url)
  })
})

describe('webhooks', () => {
  const deliveredBy = async ({ url }: RunningService) =>
    Number(/^crm_webhook_deliveries_total\{outcome="delivered"\} (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

  test('are served by one process at a time; another takes over when it ends, and when it is killed', async () => {
    const url = await newStoreUrl('postgres')
    const target = await startTarget()
    let alive = await Promise.all(Array.from({ length: 3 }, () => serviceOn(url, { CRM_WEBHOOK_PRIVATE: 'true' })))
    await alive[0]?.call('create_webhook', { URL: target.url, EventTypes: ['lead.*'] })
    const made: unknown[] = []
    const write = async (count: number) => {
      const leads = await Promise.all(Array.from({ length: count }, (_, i) => (alive[i % alive.length] as RunningService).call('create_a_lead', ADA)))
      made.push(...leads.map(({ LeadID }) => LeadID))
    }
    const received = () => target.accepted().map(({ RecordID }) => RecordID)
    const missing = () => made.filter((id) => !received().includes(String(id))).length
    /** The one of them that delivers. */
    async function courier(): Promise<RunningService> {
      const delivered = await Promise.all(alive.map(deliveredBy))
      const [one, ...rest] = alive.filter((_, i) => (delivered[i] as number) > 0)
      if (!one || rest.length > 0) throw new Error(`Delivered: ${delivered}`)
      return one
    }

    await write(30)
    await expect.poll(missing).toBe(0)
    const first = await courier()
    alive = alive.filter((one) => one !== first)
    expect(await first.end()).toBe(0)
    await write(20)
    await expect.poll(missing).toBe(0)
    // So far nothing was delivered twice.
    expect(received().toSorted()).toEqual(made.toSorted())

    const second = await courier()
    alive = alive.filter((one) => one !== second)
    await write(10)
    await second.end('SIGKILL')
    await write(10)
    await expect.poll(missing).toBe(0)
    expect(await courier()).toBe(alive[0])
    expect(received().length - made.length).toBeLessThanOrEqual(10)
    await expectSoundPostgres(url)
  })
})

test('a command writes beside services, which know what it wrote at once and number it', async () => {
  const url = await newStoreUrl('postgres')
  const service = await serviceOn(url)
  const cwd = await temporaryFolder()
  const ran = await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Byron'], { cwd, env: { CRM_PLATFORM: url } })
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: '' })
  expect(await service.call('get_many_leads')).toMatchObject({ Records: [{ LastName: 'Byron' }] })
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  await expect.poll(async () => (await client.query('SELECT "Number" FROM "Change"')).rows).toEqual([{ Number: 1 }])
})
