import { describe, expect, onTestFinished, test } from 'vitest'
import { leftMirrors } from '../../../src/core/watch/left.ts'
import { readPosition } from '../../../src/core/watch/positions.ts'
import { startWatch } from '../../../src/core/watch/watch.ts'
import { processOn, simulate } from '../../support/connected.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { otherClient } from '../../support/other-client.ts'
import { SHARED_STORES } from '../../support/shared-stores.ts'

const MIRRORED = ['Lead', 'Contact', 'Company', 'Campaign', 'Membership', 'Note']

describe.each(Object.entries(SHARED_STORES))('a service on %s that has watched an account', (_store, open) => {
  async function watching() {
    const { service, store, crm } = await processOn(await open())
    const mirror = store.mirror(1)

    /** Connects an account with a record of each type, and waits until the mirror has it. */
    async function connect(LastName: string) {
      const simulator = await simulate(HUBSPOT.simulate)
      const other = await otherClient(HUBSPOT, simulator.url)
      onTestFinished(() => other.close())
      await other.write(1, async (writer) => {
        const LeadID = (await writer.create('Lead', { LastName, Status: 'Open' })).LeadID as string
        const CampaignID = (await writer.create('Campaign', { CampaignName: LastName })).CampaignID as string
        await writer.create('Contact', { LastName })
        await writer.create('Company', { CompanyName: LastName })
        await writer.create('Note', { RecordID: LeadID, Note: LastName }, 'Lead')
        await writer.create('Membership', { MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID })
      })
      await simulator.advance(60_000)
      const { ConnectionID } = await crm.connections.create({ Platform: 'hubspot', Address: simulator.url, Secrets: { token: 'simulator' } })
      await expect.poll(names).toEqual([LastName])
      await expect.poll(isComplete).toBe(true)
      return ConnectionID
    }

    const names = async () =>
      (await mirror.find('Lead', { where: [], order: { field: 'LeadID', descending: false }, limit: 10 })).records.map((row) => row.LastName)
    const isComplete = async () => {
      const types = (await readPosition(store.journal(1)))?.types
      return MIRRORED.every((type) => types?.[type]?.isComplete)
    }
    const expectErased = async () => {
      const empty = { left: [], position: undefined, rows: MIRRORED.map(() => 0) }
      const left = async () => ({
        left: await leftMirrors(store),
        position: await readPosition(store.journal(1)),
        rows: await Promise.all(MIRRORED.map((type) => mirror.count(type, []))),
      })
      await expect.poll(left).toEqual(empty)
    }

    const watch = startWatch(service, { intervalMs: 1000, requestsPerDay: 1_000_000 }, () => {})
    onTestFinished(() => watch.stop())
    return { crm, connect, names, expectErased }
  }

  test('erases its mirror once the connection is deleted', async () => {
    const { crm, connect, expectErased } = await watching()
    const ConnectionID = await connect('Lovelace')
    await crm.connections.delete({ ConnectionID })
    await expectErased()
  })

  test('erases it where the workspace has another connection, which it does not use', async () => {
    const { crm, connect, expectErased } = await watching()
    const unused = await connect('Hopper')
    const ConnectionID = await connect('Lovelace')
    await crm.connections.delete({ ConnectionID })
    await expectErased()
    expect((await crm.connections.getMany({})).Records).toMatchObject([{ ConnectionID: unused, InUse: false }])
  })

  test('has the mirror of the one that is put in use again', async () => {
    const { crm, connect, names } = await watching()
    const ConnectionID = await connect('Hopper')
    await connect('Lovelace')
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { InUse: true } })
    await expect.poll(names).toEqual(['Hopper'])
  })
})
