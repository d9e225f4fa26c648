import type { Simulator } from 'crm-simulators'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { eraseLeftMirror, leftMirrors } from '../../../src/core/watch/left.ts'
import { type Position, readPosition, writePosition } from '../../../src/core/watch/positions.ts'
import { readStatus, reportStatus } from '../../../src/core/watch/status.ts'
import { verifyMirror } from '../../../src/core/watch/verify.ts'
import { startWatch, watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import type { CrmName } from '../../../src/platforms/crms/names.ts'
import type { Platform } from '../../../src/platforms/platform.ts'
import { simulate, startConnectingService } from '../../support/connected.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import type { Crm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'

const LATER_MS = 60_000
const SOON = { timeout: 60_000, interval: 200 }
const { signal } = new AbortController()

/** A service without an account yet, and a way to connect it to simulated ones. */
async function connecting(name: string, kind: Crm) {
  const { service, crm } = await startConnectingService()
  const { store } = service

  async function account() {
    const simulator = await simulate(kind.simulate)
    const Secrets = Object.fromEntries(kind.secrets.map((secret) => [secret, 'simulator']))
    const { ConnectionID } = await crm.connections.create({ Platform: name as CrmName, Address: simulator.url, Secrets })
    return { simulator, ConnectionID, ...(await peopleOf(simulator)) }
  }

  /** Another client, which has read nothing of the account yet. */
  async function peopleOf(simulator: Simulator) {
    const other: Platform = await otherClient(kind, simulator.url)
    onTestFinished(() => other.close())
    return {
      async create(count: number, LastName = 'Lovelace') {
        const made = Array.from({ length: count }, () => other.write(1, (writer) => writer.create('Lead', { LastName, Status: 'Open' })))
        return (await Promise.all(made)).map(({ LeadID }) => LeadID as string)
      },
      company: () => other.write(1, (writer) => writer.create('Company', { CompanyName: 'Engines' })),
      remove: (ids: readonly string[]) => Promise.all(ids.map((id) => other.write(1, (writer) => writer.delete('Lead', id)))),
    }
  }

  let cursor: string | undefined
  return {
    service,
    crm,
    account,
    peopleOf,
    poll: () => watchWorkspace(service, 1, signal),
    verify: () => withWatched(service, 1, (watched) => verifyMirror(watched, signal)),
    names: async () =>
      (await store.mirror(1).find('Lead', { where: [], order: { field: 'LeadID', descending: false }, limit: 100 })).records.map((row) => row.LastName),
    /** The events of leads and resyncs since it was last asked. */
    async news() {
      const { Events, NextCursor } = await crm.events.getMany({ Limit: 1000, ...(cursor !== undefined && { After: cursor }) })
      cursor = NextCursor
      const told = Events.filter(({ Type }) => Type.startsWith('lead.') || Type === 'connection.resynced')
      return told.map(({ Type, Record }) => [Type, ...(Type === 'connection.resynced' ? [(Record as { Resynced?: string }).Resynced] : [])].join(' '))
    },
  }
}

const times = (count: number, event: string) => Array.from({ length: count }, () => event)

describe.each(ALL_CRMS)('%s', (name, kind) => {
  test('that was installed anew behind the same address begins anew, without a delete for each record', async () => {
    const { account, peopleOf, poll, news, names } = await connecting(name, kind)
    const { simulator, create, company } = await account()
    await create(25)
    await company()
    await poll()
    await news()
    simulator.simulated.reset()
    await simulator.advance(LATER_MS)
    const anew = await peopleOf(simulator)
    // The simulator of Salesforce assigns the same ids again, which Salesforce does not.
    const count = name === 'salesforce' ? 30 : 3
    await anew.create(count, 'Hopper')
    await simulator.advance(LATER_MS)
    await poll()
    expect(await news()).toEqual(['connection.resynced replaced'])
    expect(await names()).toEqual(times(count, 'Hopper'))
    await anew.create(1, 'Babbage')
    await poll()
    expect(await news()).toEqual(['lead.created'])
  })

  test('that a person deletes most of, or all of one type, tells each', async () => {
    const { account, poll, news, names } = await connecting(name, kind)
    const { simulator, create, remove, company } = await account()
    const ids = await create(40)
    await company()
    await poll()
    await news()
    await simulator.advance(LATER_MS)
    await remove(ids.slice(0, 24))
    await poll()
    expect(await news()).toEqual(times(24, 'lead.deleted'))
    await remove(ids.slice(24))
    await poll()
    expect(await news()).toEqual(times(16, 'lead.deleted'))
    expect(await names()).toEqual([])
  })
})

test('a replaced account that has as many records is found when the mirror is verified', async () => {
  const { account, peopleOf, poll, verify, news, names } = await connecting('espocrm', ESPOCRM)
  const { simulator, create } = await account()
  await create(20)
  await poll()
  await news()
  simulator.simulated.reset()
  const anew = await peopleOf(simulator)
  await anew.create(20, 'Hopper')
  expect(await verify()).toEqual([])
  await poll()
  expect(await news()).toEqual(['connection.resynced replaced'])
  expect(new Set(await names())).toEqual(new Set(['Hopper']))
})

test('an account that was replaced while it was open is followed on under the name that it is opened with next', async () => {
  const { service, account, peopleOf, poll, news, names } = await connecting('espocrm', ESPOCRM)
  const { simulator, create, ConnectionID } = await account()
  const { store } = service
  await create(25)
  await poll()
  simulator.simulated.reset()
  await simulator.advance(LATER_MS)
  const anew = await peopleOf(simulator)
  await anew.create(3, 'Hopper')
  await simulator.advance(LATER_MS)
  await news()
  await poll()
  expect(await news()).toEqual(['connection.resynced replaced'])
  // The name that it had before, as if it was opened anew since.
  const position = await readPosition(store.journal(1))
  const shownAccount = async () => (await store.reader(1).get('Connection', ConnectionID))?.Account
  const Account = await shownAccount()
  await store.write(1, async (writer) => {
    await writePosition(writer, { types: {}, ...position, account: 'before' })
    await writer.update('Connection', ConnectionID, { Account: 'before' })
  })
  await anew.create(1, 'Babbage')
  await poll()
  expect([await news(), (await names()).sort()]).toEqual([['lead.created'], ['Babbage', ...times(3, 'Hopper')]])
  expect((await readPosition(store.journal(1)))?.account).toBe(Account)
  expect(await shownAccount()).toBe(Account)
})

test('an account that had few records tells of each that is gone', async () => {
  const { account, poll, news } = await connecting('hubspot', HUBSPOT)
  const { simulator, create, remove } = await account()
  const ids = await create(5)
  await poll()
  await news()
  await simulator.advance(LATER_MS)
  await remove(ids)
  await poll()
  expect(await news()).toEqual(times(5, 'lead.deleted'))
})

test('an account that is switched back to says that changes were missed; one that is new says nothing', async () => {
  const { crm, account, poll, news, names } = await connecting('hubspot', HUBSPOT)
  const first = await account()
  await first.create(1)
  await poll()
  const second = await account()
  await second.create(1, 'Hopper')
  await news()
  await poll()
  expect([await news(), await names()]).toEqual([[], ['Hopper']])
  await first.create(1, 'Babbage')
  await crm.connections.update({ ConnectionID: first.ConnectionID, FieldsToUpdate: { InUse: true } })
  await poll()
  expect([await news(), (await names()).sort()]).toEqual([['connection.resynced switched'], ['Babbage', 'Lovelace']])
})

test('an account that was replaced while the workspace has used another one says so', async () => {
  const { service, crm, account, peopleOf, poll, news, names } = await connecting('espocrm', ESPOCRM)
  const first = await account()
  await first.create(1)
  await poll()
  const { account: known } = (await readPosition(service.store.journal(1))) as Position
  const second = await account()
  await poll()
  await news()
  first.simulator.simulated.reset()
  await (await peopleOf(first.simulator)).create(1, 'Hopper')
  // The name that it had before, where the simulator is installed under the same one.
  const position = (await readPosition(service.store.journal(1))) as Position
  const earlier = position.earlier?.map((one) => (one === known ? 'before' : one)) ?? []
  await service.store.write(1, (writer) => writePosition(writer, { ...position, earlier }))
  await crm.connections.update({ ConnectionID: first.ConnectionID, FieldsToUpdate: { InUse: true } })
  await poll()
  expect([await news(), await names()]).toEqual([['connection.resynced replaced'], ['Hopper']])
  await crm.connections.update({ ConnectionID: second.ConnectionID, FieldsToUpdate: { InUse: true } })
  await poll()
  expect(await news()).toEqual(['connection.resynced switched'])
})

test('the requests of today are those of the account', async () => {
  const { service, account } = await connecting('hubspot', HUBSPOT)
  await account()
  const { store } = service
  const report = async (name: string, requests: number) => {
    await store.write(1, (writer) => writePosition(writer, { account: name, types: {} }))
    await reportStatus(store, 1, { intervalMs: 1000, requestsPerDay: 1000 }, { requests })
    return (await readStatus(store.journal(1)))?.requests
  }
  expect([await report('one', 10), await report('one', 5), await report('two', 3)]).toEqual([10, 15, 3])
  await eraseLeftMirror(store, 1, signal)
  expect([await report('one', 1), await report('two', 1)]).toEqual([16, 4])
})

describe('the mirror of a connection that is deleted', () => {
  async function left() {
    const connected = await connecting('hubspot', HUBSPOT)
    const { service, crm, account, poll } = connected
    const { create, ConnectionID } = await account()
    await create(3)
    await poll()
    expect(await service.store.mirror(1).count('Lead', [])).toBe(3)
    await crm.connections.delete({ ConnectionID })
    expect(await leftMirrors(service.store)).toEqual([1])
    return connected
  }

  const expectErased = async ({ store }: Awaited<ReturnType<typeof left>>['service']) => {
    expect(await leftMirrors(store)).toEqual([])
    expect([await store.mirror(1).count('Lead', []), await readPosition(store.journal(1))]).toEqual([0, undefined])
  }

  test('is erased', async () => {
    const { service } = await left()
    await eraseLeftMirror(service.store, 1, signal)
    await expectErased(service)
  })

  test('is erased by the process that watches, although there is nothing left to watch', async () => {
    const { service } = await left()
    const watch = startWatch(service, { intervalMs: 1000, requestsPerDay: 1000 }, (error) => expect.unreachable(String(error)))
    onTestFinished(() => watch.stop())
    await vi.waitFor(() => expectErased(service), SOON)
  })

  test('is not that of the account that is connected next', async () => {
    const { service, account, poll, names } = await left()
    const { create } = await account()
    await create(1, 'Hopper')
    await poll()
    expect([await names(), await leftMirrors(service.store)]).toEqual([['Hopper'], []])
  })
})
