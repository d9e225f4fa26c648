import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openService } from '../../../src/app/open.ts'
import { type CrmSettings, defaultPrefix } from '../../../src/config/crm-settings.ts'
import { secretVariable } from '../../../src/config/secrets.ts'
import { readConfig } from '../../../src/config/settings.ts'
import { clientOf } from '../../../src/contract/client/client.ts'
import { localAdmin } from '../../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../../src/core/call/in-process.ts'
import { stream } from '../../../src/core/call/stream.ts'
import { startWatch } from '../../../src/core/watch/watch.ts'
import type { CrmName } from '../../../src/platforms/crms/names.ts'
import { runHere } from '../../support/cli.ts'
import { processOn, simulate } from '../../support/connected.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import type { Crm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'
import { type Kind, newStoreUrl } from '../../support/store-urls.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'

const SOON = { timeout: 60_000, interval: 50 }
const WATCH = { intervalMs: 200, requestsPerDay: 1_000_000 }
const QUARTER_MS = 15 * 60_000
const DOWN = { code: 'platform_unavailable' }

/** A configured account behind an address at which it can be down, in an environment. */
async function configured(name: string, kind: Crm, storeUrl: string) {
  const simulator = await simulate(kind.simulate)
  const proxy = await startTcpProxy(simulator.url)
  const platform = `${name}:${proxy.url.replace(/\/$/, '')}`
  const env = (secret = 'simulator') => ({
    CRM_PLATFORM: platform,
    CRM_STORE: storeUrl,
    ...Object.fromEntries(kind.secrets.map((one) => [secretVariable(defaultPrefix(name as CrmName), one), secret])),
  })

  /** A process that serves, until it is ended. */
  async function serve(secret?: string, other: Partial<CrmSettings> = { retryMs: 0 }) {
    const config = readConfig({}, env(secret))
    const crms = Object.fromEntries(Object.entries(config.crms).map(([url, settings]) => [url, { ...settings, ...other }]))
    const { service, close } = await openService({ ...config, crms, watch: WATCH }, { serves: true })
    const watch = startWatch(service, WATCH, () => {})
    let ended: Promise<void> | undefined
    const end = () => {
      ended ??= watch.stop().then(close)
      return ended
    }
    onTestFinished(end)
    const caller = await localAdmin(service)
    return { service, caller, crm: clientOf(inProcessTransport(service, () => caller)), end }
  }
  return { simulator, proxy, env, serve }
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof configured>>['serve']>>['crm']

const complete = (crm: Client) => vi.waitFor(async () => expect(await crm.connections.getMirror({})).toMatchObject({ Complete: true, Reads: 'mirror' }), SOON)

const PLACES = [...ALL_CRMS.map(([name, kind]) => ['sqlite', name, kind] as const), ['postgres', 'hubspot', HUBSPOT] as const]

describe.each(PLACES)('%s: a service that is started while %s is down', (store, name, kind) => {
  test('reads from the mirror, says how old it is, refuses everything else, and goes on once the CRM answers', async () => {
    const { proxy, env, serve } = await configured(name, kind, await newStoreUrl(store as Kind))
    const before = await serve()
    const { LeadID } = await before.crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    await before.crm.leads.addNote({ LeadID, Note: 'Called.' })
    await before.crm.customObjects.create({ ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 7.5 } } })
    await complete(before.crm)
    const { AsOf: filled } = await before.crm.leads.getMany({})
    await vi.waitFor(async () => {
      expect((await before.crm.leads.getMany({})).AsOf).not.toBe(filled)
      expect((await before.crm.customObjects.getMany({})).Records).toHaveLength(1)
    }, SOON)
    const described = await before.crm.describe({})
    await before.end()

    proxy.tear()
    const { service, caller, crm } = await serve()
    expect(service.platform.remark).toContain('read from its mirror')
    const AsOf = expect.any(String)
    const leads = await crm.leads.getMany({})
    expect(leads).toMatchObject({ AsOf, Records: [{ LeadID, LastName: 'Lovelace' }] })
    expect(await crm.leads.getMany({ Filters: { Status: leads.Records[0]?.Status } })).toMatchObject({ AsOf, Records: [{ LeadID }] })
    expect(await crm.leads.getSummary({})).toMatchObject({ AsOf, Total: 1 })
    expect(await crm.search({ Text: 'lovelace' })).toMatchObject({ AsOf, Records: [{ Record: { LeadID } }] })
    expect(await crm.leads.get({ LeadID, Fresh: false })).toMatchObject({ AsOf, LeadID })
    expect(await crm.customObjects.getMany({ Filters: { ObjectName: 'Boat', Hull: { gt: 7 } } })).toMatchObject({ AsOf, Records: [{ ObjectName: 'Boat' }] })
    expect(await crm.describe({})).toEqual(described)
    for await (const page of stream(service, { operation: 'get_many_leads', input: {}, caller })) expect(page).toMatchObject({ AsOf, Records: [{ LeadID }] })
    await expect(crm.leads.getMany({ Fresh: true })).rejects.toMatchObject(DOWN)
    await expect(crm.leads.get({ LeadID })).rejects.toMatchObject(DOWN)
    await expect(crm.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })).rejects.toMatchObject(DOWN)
    await vi.waitFor(
      async () => expect(await crm.connections.getMirror({})).toMatchObject({ Complete: true, Reads: 'mirror', Reason: expect.any(String) }),
      SOON,
    )

    const { code, out } = await runHere(['mirror'], { env: env() })
    expect(code).toBe(0)
    const shown = JSON.parse(out) as { Accounts: unknown; Mirrors: unknown }
    expect(shown.Accounts).toMatchObject([{ Workspace: 'default', Watched: true, Complete: true }])
    expect(shown.Mirrors).toContainEqual(expect.objectContaining({ RecordType: 'Lead', Records: 1, Complete: true }))

    proxy.mend()
    await vi.waitFor(async () => expect(await crm.leads.getMany({ Fresh: true })).toMatchObject({ Records: [{ LeadID }] }), SOON)
    const { LeadID: next } = await crm.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
    await vi.waitFor(async () => {
      const { Records, AsOf: now } = await crm.leads.getMany({ OrderBy: 'LastName' })
      expect(Records.map((lead) => lead.LeadID)).toEqual([next, LeadID])
      expect(String(now) > String(leads.AsOf)).toBe(true)
    }, SOON)
    expect(await crm.connections.getMirror({})).toMatchObject({ Complete: true })
  })
})

describe.each(ALL_CRMS)('while %s accepts connections and does not answer', (name, kind) => {
  test('reads from the mirror go on, those of custom objects too, other calls fail soon, and the watch says why until it answers', async () => {
    const { proxy, serve } = await configured(name, kind, await newStoreUrl('sqlite'))
    const { crm } = await serve('simulator', { timeoutMs: 2_000, retryMs: 15_000 })
    const { LeadID } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    await crm.customObjects.create({ ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 7.5 } } })
    await complete(crm)
    await vi.waitFor(async () => expect((await crm.customObjects.getMany({})).Records).toHaveLength(1), SOON)

    proxy.stall()
    const { LookedDate } = await vi.waitFor(async () => {
      const state = await crm.connections.getMirror({})
      expect(state).toMatchObject({ Reads: 'mirror', Reason: expect.stringContaining('did not answer within'), LookedDate: expect.any(String) })
      return state
    }, SOON)
    // What is cached of its custom objects is out of date by then.
    const { now } = Date
    const later = vi.spyOn(Date, 'now').mockImplementation(() => now() + QUARTER_MS)
    onTestFinished(() => later.mockRestore())
    const AsOf = expect.any(String)
    expect(await crm.leads.getMany({})).toMatchObject({ AsOf, Records: [{ LeadID }] })
    expect(await crm.customObjects.getMany({ Filters: { ObjectName: 'Boat', Hull: { gt: 7 } } })).toMatchObject({ AsOf, Records: [{ ObjectName: 'Boat' }] })
    await expect(crm.leads.get({ LeadID })).rejects.toMatchObject({ ...DOWN, message: expect.stringContaining('did not answer within 2 s') })
    expect(await crm.connections.getMirror({})).toMatchObject({ LookedDate, Reason: expect.any(String) })

    later.mockRestore()
    proxy.flow()
    await vi.waitFor(async () => expect(await crm.connections.getMirror({})).toMatchObject({ Reason: null, FailedDate: null }), SOON)
    expect(await crm.leads.get({ LeadID })).toMatchObject({ LeadID })
  })
})

test('other secrets may lead to another account: its mirror is not read', async () => {
  const { proxy, serve } = await configured('hubspot', HUBSPOT, await newStoreUrl('sqlite'))
  const before = await serve()
  await before.crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  await complete(before.crm)
  await before.end()
  proxy.tear()
  const { service, crm, end } = await serve('another')
  expect(service.platform.account).toBeUndefined()
  await expect(crm.leads.getMany({})).rejects.toMatchObject(DOWN)
  await end()
  const { crm: again } = await serve()
  expect(await again.leads.getMany({})).toMatchObject({ AsOf: expect.any(String), Records: [{ LastName: 'Lovelace' }] })
})

test('the mirror of a connection is read by a process that was started while its CRM is down', async () => {
  const shared = await (SHARED_STORES.sqlite as () => Promise<SharedStore>)()
  const simulator = await simulate(HUBSPOT.simulate)
  const proxy = await startTcpProxy(simulator.url)
  const other = await otherClient(HUBSPOT, simulator.url)
  onTestFinished(() => other.close())
  await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'Open' }))
  const { service, crm } = await processOn(shared)
  await crm.connections.create({ Platform: 'hubspot', Address: proxy.url.replace(/\/$/, ''), Secrets: { token: 'simulator' } })
  const watch = startWatch({ ...service, watch: WATCH }, WATCH, () => {})
  onTestFinished(() => watch.stop())
  await vi.waitFor(async () => expect(await crm.connections.getMirror({})).toMatchObject({ Complete: true }), SOON)
  await watch.stop()

  proxy.tear()
  const { service: plain, caller } = await processOn(shared)
  const later = clientOf(inProcessTransport({ ...plain, watch: WATCH }, () => caller))
  expect(await later.leads.getMany({})).toMatchObject({ AsOf: expect.any(String), Records: [{ LastName: 'Lovelace' }] })
  await expect(later.leads.getMany({ Fresh: true })).rejects.toMatchObject(DOWN)
})
