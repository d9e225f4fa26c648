import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'
import { readPosition, writePosition } from '../../../src/core/watch/positions.ts'
import { verifyMirror } from '../../../src/core/watch/verify.ts'
import { watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import { connect, simulate, startConnectingService } from '../../support/connected.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { otherClient } from '../../support/other-client.ts'

const DAY_MS = 86_400_000
const ORDER = { field: 'LeadID', descending: false }

/** A workspace that is connected to an account and watches it. */
async function watching() {
  const process = await startConnectingService()
  const { service, crm } = process
  async function account() {
    const simulator = await simulate(simulateHubSpot)
    const other = await otherClient(HUBSPOT, simulator.url)
    onTestFinished(() => other.close())
    const create = async (LastName: string) => (await other.write(1, (writer) => writer.create('Lead', { LastName, Status: 'Open' }))).LeadID as string
    return { simulator, create }
  }
  const first = await account()
  await first.create('Lovelace')
  await connect(crm, 'hubspot', first.simulator)
  const poll = () => watchWorkspace(service, 1, new AbortController().signal)
  await poll()
  const events = async () => (await crm.events.getMany({ Limit: 1000 })).Events.map(({ Type }) => Type)
  const mirrored = async () => (await service.store.mirror(1).find('Lead', { where: [], order: ORDER, limit: 100 })).records.map(({ LastName }) => LastName)
  return { ...process, account, first, poll, events, mirrored }
}

test('after a gap of more than a week changes are not told one by one', async () => {
  const { service, first, poll, events, mirrored } = await watching()
  const before = await events()
  const position = await readPosition(service.store.journal(1))
  const types = Object.fromEntries(
    Object.entries(position?.types ?? {}).map(([type, known]) => [type, { ...known, since: Date.now() - 8 * DAY_MS, isComplete: true }]),
  )
  await service.store.write(1, (writer) => writePosition(writer, { account: String(position?.account), types }))
  await first.create('Hopper')
  await poll()
  expect(await events()).toEqual([...before, 'connection.resynced'])
  expect((await mirrored()).sort()).toEqual(['Hopper', 'Lovelace'])
  await first.create('Babbage')
  await poll()
  expect(await events()).toEqual([...before, 'connection.resynced', 'lead.created'])
})

test('another account begins anew, and announces nothing of what it has', async () => {
  const { crm, account, poll, events, mirrored } = await watching()
  const second = await account()
  await second.create('Hopper')
  const { Records } = await crm.connections.getMany({})
  await connect(crm, 'hubspot', second.simulator)
  expect(Records).toHaveLength(1)
  const before = await events()
  await poll()
  expect(await mirrored()).toEqual(['Hopper'])
  expect(await events()).toEqual(before)
})

test('what a mirror lacks, has too much or has wrong is found, repaired and announced', async () => {
  const { service, first, poll, events, mirrored } = await watching()
  const [lacking, wrong] = [await first.create('Hopper'), await first.create('Babbage')]
  await poll()
  const before = await events()
  await service.store.write(1, async (writer) => {
    const mirror = writer.inMirror()
    const row = await mirror.get('Lead', wrong)
    await mirror.create('Lead', { ...row, LeadID: '1', LastName: 'Ghost', CreatedDate: '2020-01-01T00:00:00.000Z' })
    await mirror.update('Lead', wrong, { LastName: 'Bab', Revision: 1 })
    await mirror.delete('Lead', lacking)
  })
  const { signal } = new AbortController()
  const verify = async () => (await withWatched(service, 1, (watched) => verifyMirror(watched, signal)))?.filter(({ type }) => type === 'Lead')
  expect(await verify()).toEqual([{ type: 'Lead', compared: 3, repaired: 3 }])
  expect((await mirrored()).sort()).toEqual(['Babbage', 'Hopper', 'Lovelace'])
  expect((await events()).slice(before.length).sort()).toEqual(['connection.repaired', 'lead.created', 'lead.deleted', 'lead.updated'])
  expect(await verify()).toEqual([{ type: 'Lead', compared: 3, repaired: 0 }])

  // A row with the version of its record but other values was spoiled here: nothing has changed in the account.
  await service.store.write(1, (writer) => writer.inMirror().update('Lead', wrong, { LastName: 'Rotten' }))
  const so = await events()
  expect(await verify()).toEqual([{ type: 'Lead', compared: 3, repaired: 1 }])
  expect((await mirrored()).sort()).toEqual(['Babbage', 'Hopper', 'Lovelace'])
  expect((await events()).slice(so.length)).toEqual(['connection.repaired'])
})
