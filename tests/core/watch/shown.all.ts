import { simulateHubSpot } from 'crm-simulators/hubspot'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { clientOf } from '../../../src/contract/client/client.ts'
import { acquireBinding } from '../../../src/core/call/acquire-binding.ts'
import { inProcessTransport } from '../../../src/core/call/in-process.ts'
import { showConfigured } from '../../../src/core/connections/configured.ts'
import { createService, type Service } from '../../../src/core/service.ts'
import { pollOnce } from '../../../src/core/watch/poll.ts'
import { type Position, readPosition, writePosition } from '../../../src/core/watch/positions.ts'
import { verifyMirror } from '../../../src/core/watch/verify.ts'
import { startWatch, watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import type { Watched } from '../../../src/core/watch/watched.ts'
import type { Workspace } from '../../../src/platforms/store.ts'
import { mirrorOf } from '../../../src/platforms/stores/mirror.ts'
import { watchMetrics } from '../../../src/transports/http/metrics/watch.ts'
import { accountsOn } from '../../support/accounts.ts'
import { connect, processOn, simulate } from '../../support/connected.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { otherClient } from '../../support/other-client.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'

const SOON = { timeout: 60_000, interval: 50 }
const WATCH = { intervalMs: 100, requestsPerDay: 1_000_000 }
const HOUR_MS = 3_600_000

const { signal } = new AbortController()

/** A process on a store that is connected to an account with two leads, of an hour ago. */
async function connected(place = SHARED_STORES.sqlite as () => Promise<SharedStore>) {
  const shared = await place()
  const { service, caller, crm } = await processOn(shared)
  let ago = HOUR_MS
  const simulator = await simulate(simulateHubSpot, { clock: () => Date.now() - ago })
  const platform = await otherClient(HUBSPOT, simulator.url)
  onTestFinished(() => platform.close())
  for (const LastName of ['Lovelace', 'Hopper']) await platform.write(1, (writer) => writer.create('Lead', { LastName, Status: 'Open' }))
  ago = 0
  const ConnectionID = await connect(crm, 'hubspot', simulator)
  return { shared, service, caller, crm, simulator, platform, ConnectionID }
}

/** A process that serves, and watches from now on. */
function watching(service: Service, onError: (error: unknown) => void = () => {}) {
  const watch = startWatch(service, WATCH, onError)
  onTestFinished(() => watch.stop())
  return watch
}

/** Makes the mirror have another version of a lead than the account. */
async function spoil(service: Service): Promise<void> {
  const { records } = await service.store.mirror(1).find('Lead', { where: [], order: { field: 'LeadID', descending: false }, limit: 1 })
  await service.store.write(1, (writer) => writer.inMirror().update('Lead', String(records[0]?.LeadID), { LastName: 'Wrong', Revision: 1 }))
}

describe.each(Object.entries(SHARED_STORES))('%s: a connection', (_, place) => {
  test('is watched, and read from its mirror, unless it is told not to; it is not opened anew for that', async () => {
    const { service, crm, ConnectionID } = await connected(place)
    const serving = { ...service, watch: WATCH }
    const workspace = (await service.store.workspace(1)) as Workspace
    const generation = async () => (await service.store.reader(1).get('Connection', ConnectionID))?.Generation
    const use = async (by: Service) => {
      const binding = await acquireBinding(by, workspace)
      binding.release()
      return [binding.watches, binding.readsMirror]
    }
    const before = await generation()
    expect([await use(serving), await use(service)]).toEqual([
      [true, true],
      [false, false],
    ])
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { Reads: 'crm' } })
    expect(await use(serving)).toEqual([true, false])
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { Watch: false, Reads: 'mirror' } })
    expect(await use(serving)).toEqual([false, false])
    expect(await generation()).toBe(before)
    expect(await watchWorkspace(service, 1, signal)).toBeUndefined()
    expect(await crm.connections.getMirror({})).toMatchObject({ Watched: false, Reads: 'crm', Complete: false, RecordTypes: [], RequestsToday: 0 })

    watching(serving)
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { Watch: true } })
    await vi.waitFor(async () => expect(await crm.connections.getMirror({})).toMatchObject({ Complete: true }), SOON)
  })

  test('what its watch costs, and how far it has come, is answered by every process', async () => {
    const { shared, service, caller } = await connected(place)
    const serving = { ...service, watch: WATCH }
    const { crm: elsewhere } = await processOn(shared)
    watching(serving)
    const found = await vi.waitFor(async () => {
      const state = await elsewhere.connections.getMirror({})
      expect(state).toMatchObject({ Complete: true, Watched: true })
      // The last of them are reported once the poll has ended.
      expect(state.RequestsToday).toBeGreaterThan(state.RecordTypes.length)
      return state
    }, SOON)
    expect(found).toMatchObject({ IntervalSeconds: 0.1, RequestsPerDay: 1_000_000, FailedDate: null, Reason: null })
    expect(Date.parse(found.AsOf ?? '')).toBe(Math.min(...found.RecordTypes.map(({ AsOf }) => Date.parse(AsOf ?? ''))))
    const lead = { RecordType: 'Lead', Complete: true, Records: 2, Total: null, AsOf: expect.any(String) }
    expect(found.RecordTypes.find(({ RecordType }) => RecordType === 'Lead')).toEqual(lead)
    // A process that does not watch reads from the CRM itself, since it does not know for how long another does.
    expect(found.Reads).toBe('crm')
    const here = clientOf(inProcessTransport(serving, () => caller))
    expect(await here.connections.getMirror({})).toMatchObject({ Reads: 'mirror', Watched: true })
  })
})

test('an account whose last poll has failed says why, once in the log, until it answers again', async () => {
  const { service, crm, simulator } = await connected()
  const errors: unknown[] = []
  const failed = () => crm.connections.getMirror({})
  simulator.faults.add('error=1')
  watching(service, (error) => errors.push(error))
  const first = await vi.waitFor(async () => {
    const state = await failed()
    expect(state).toMatchObject({ Watched: true, Reason: expect.stringContaining('HubSpot') })
    return state
  }, SOON)
  await vi.waitFor(async () => expect((await failed()).FailedDate).not.toBe(first.FailedDate), SOON)
  expect(errors).toHaveLength(1)
  simulator.faults.clear()
  await vi.waitFor(async () => expect(await failed()).toMatchObject({ Complete: true, FailedDate: null, Reason: null }), SOON)
})

test('a CRM that fails is reported while its requests are still made again', async () => {
  const { service, crm: connecting, caller, simulator, ConnectionID } = await connected()
  await connecting.connections.delete({ ConnectionID })
  const platform = await otherClient(HUBSPOT, simulator.url, HOUR_MS)
  onTestFinished(() => platform.close())
  const configured = createService({ platform, store: service.store, watch: WATCH })
  const crm = clientOf(inProcessTransport(configured, () => caller))
  const errors: unknown[] = []
  simulator.faults.add('error=1')
  watching(configured, (error) => errors.push(error))
  onTestFinished(() => simulator.faults.clear())
  await vi.waitFor(async () => expect((await crm.connections.getMirror({})).Reason).toContain('HubSpot'), SOON)
  // The poll itself would fail an hour later.
  expect(errors).toEqual([])
})

test('requests that are used up are shown, once in the log, and a metric is 1', async () => {
  const { service, crm } = await connected()
  const errors: unknown[] = []
  // 50 an hour are saved up, which is less than backfilling the mirror and some polls take.
  const watch = startWatch(service, { intervalMs: 100, requestsPerDay: 1200 }, (error) => errors.push(error))
  onTestFinished(() => watch.stop())
  const state = await vi.waitFor(async () => {
    const found = await crm.connections.getMirror({})
    expect(found.ExhaustedDate).toEqual(expect.any(String))
    return found
  }, SOON)
  const Reason = 'The 1,200 requests a day for watching are used up for now: one is sent every 72 s.'
  expect(state).toMatchObject({ FailedDate: null, Reason, Advice: expect.stringContaining('CRM_WATCH_REQUESTS'), RequestsPerDay: 1200 })
  expect(await watchMetrics(watch)).toContain('crm_watch_exhausted{workspace="default"} 1\n')
  expect(errors).toMatchObject([{ code: 'rate_limited', message: Reason }])
})

test('the age of a mirror is a metric once it is complete', async () => {
  const { service, crm, simulator } = await connected()
  const watch = watching(service)
  const age = async () => Number(/^crm_mirror_age_seconds\{workspace="default"\} ([\d.]+)$/m.exec(await watchMetrics(watch))?.[1] ?? Number.NaN)
  await vi.waitFor(async () => expect(await crm.connections.getMirror({})).toMatchObject({ Complete: true }), SOON)
  expect(await age()).toBeGreaterThanOrEqual(0)
  simulator.faults.add('error=1')
  await vi.waitFor(async () => expect(await age()).toBeGreaterThan(3), SOON)
  expect(await watchMetrics(undefined)).toBe('')
})

test('notes, comments and memberships are among what a mirror has', async () => {
  const { service, crm } = await connected()
  const { Records } = await crm.leads.getMany({ Limit: 1 })
  await crm.leads.addNote({ LeadID: String(Records[0]?.LeadID), Note: 'Called.' })
  await watchWorkspace(service, 1, signal)
  const { Complete, RecordTypes } = await crm.connections.getMirror({})
  expect(Complete).toBe(true)
  const counts = RecordTypes.map(({ RecordType, Records: count }) => [RecordType, count])
  expect(counts).toEqual(
    expect.arrayContaining([
      ['Note', 1],
      ['Comment', 0],
      ['Membership', 0],
    ]),
  )
})

test('while a mirror is backfilled its progress is shown', async () => {
  const { service, crm } = await connected()
  const filling = new AbortController()
  /** Pages of one record; the first of the leads is the last of all. */
  const onePage = ({ records, platform, ...watched }: Watched): Watched => ({
    ...watched,
    platform: { ...platform, supports: { ...platform.supports, page: 1 } },
    records: {
      ...records,
      find(type, query) {
        if (type === 'Lead') filling.abort()
        return records.find(type, query)
      },
    },
  })
  await withWatched(service, 1, (watched) => pollOnce(onePage(watched), filling.signal))
  const { Complete, AsOf, RecordTypes } = await crm.connections.getMirror({})
  expect({ Complete, AsOf }).toEqual({ Complete: false, AsOf: null })
  const lead = { RecordType: 'Lead', Complete: false, Records: 1, Total: 2, AsOf: null }
  expect(RecordTypes.find(({ RecordType }) => RecordType === 'Lead')).toEqual(lead)
})

test('what the watch repairs at night is an event of the connection, and a metric', async () => {
  const { service, crm } = await connected()
  await watchWorkspace(service, 1, signal)
  await spoil(service)
  const noon = new Date(Date.now() + 24 * HOUR_MS)
  noon.setUTCHours(12)
  const watch = watching({ ...service, now: () => noon })
  await vi.waitFor(async () => expect(await watchMetrics(watch)).toContain('crm_mirror_repaired_total{workspace="default",type="Lead"} 1\n'), SOON)
  const { Events } = await crm.events.getMany({ Limit: 1000 })
  const repaired = Events.filter(({ Type }) => Type === 'connection.repaired')
  expect(repaired).toEqual([
    expect.objectContaining({
      Source: 'crm',
      UserID: 'nobody',
      ChangedFields: [],
      Record: expect.objectContaining({ Platform: 'hubspot', Repaired: { Lead: 1 } }),
    }),
  ])
})

test('what a command repairs is counted by the process that watches, and a type that is not complete says why', async () => {
  const { shared, service } = await connected()
  await watchWorkspace(service, 1, signal)
  await spoil(service)
  await shared.ask(`UPDATE "Rollup" SET "Count" = "Count" + 1 WHERE "Workspace" = ${mirrorOf(1)} AND "RecordType" = 'Lead' AND "Kind" = 'state'`)
  const position = (await readPosition(service.store.journal(1))) as Position
  const types = { ...position.types, Company: { since: 0, isComplete: false } }
  await service.store.write(1, (writer) => writePosition(writer, { ...position, types }))
  const verified = await withWatched(service, 1, (watched) => verifyMirror(watched, signal))
  expect(verified?.filter(({ type }) => type === 'Lead' || type === 'Company')).toEqual([
    { type: 'Company', compared: 0, repaired: 0, reason: 'The mirror is being backfilled.' },
    { type: 'Lead', compared: 2, repaired: 2 },
  ])
  const { states } = await service.store.mirror(1).tally('Lead', { where: [], today: '', soon: '' })
  expect(states.map(({ count }) => count)).toEqual([2])
  const watch = watching(service)
  await vi.waitFor(async () => expect(await watchMetrics(watch)).toContain('crm_mirror_repaired_total{workspace="default",type="Lead"} 2\n'), SOON)
})

test('an account of the configuration is used as that says, and its mirror is verified and announced as others are', async () => {
  const { service, crm: connecting, caller, platform, ConnectionID } = await connected()
  await connecting.connections.delete({ ConnectionID })
  const { store } = service
  const mirrorUse = { watch: true, reads: 'crm' } as const
  const configured = createService({ platform, store, accounts: accountsOn(store), mirrorUses: new Map([['default', mirrorUse]]), watch: WATCH })
  onTestFinished(() => configured.connections.close())
  const crm = clientOf(inProcessTransport(configured, () => caller))
  const account = platform.account ?? null
  await showConfigured(configured, ['default'], [{ workspace: 'default', platform: 'hubspot', address: null, account, remark: null, mirrorUse }])
  await watchWorkspace(configured, 1, signal)
  expect(await crm.connections.getMirror({})).toMatchObject({ Watched: true, Complete: true, Reads: 'crm' })
  await spoil(configured)
  await withWatched(configured, 1, (watched) => verifyMirror(watched, signal))
  const { Events } = await crm.events.getMany({ Limit: 1000 })
  expect(Events.at(-1)).toMatchObject({ Type: 'connection.repaired', Record: { Configured: true, Watch: true, Reads: 'crm', Repaired: { Lead: 1 } } })
})
