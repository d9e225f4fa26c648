import { describe, expect, test } from 'vitest'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { watchedAccount } from './account.ts'
import { during } from './during.ts'

/** More than a poll takes requests, and more than searches lag behind. */
const [PLACES, LAG_MS, QUARTER_MS] = [40, 10_000, 15 * 60_000]

describe.each(ALL_CRMS)('in %s', (name, crm) => {
  test.for(['Lead', 'Campaign'] as const)('a %s that is deleted between any two requests of a poll is announced alone', async (type, { onTestFinished }) => {
    const account = await watchedAccount(name, crm, onTestFinished)
    const { other, simulator, poll } = account
    const ids: string[] = []
    for (let i = 0; i < PLACES; i++)
      await other.write(1, async (writer) => {
        const LeadID = (await writer.create('Lead', { FirstName: 'Ada', LastName: `Lovelace ${i}`, Status: 'Open' })).LeadID as string
        const CampaignID = (await writer.create('Campaign', { CampaignName: `Fair ${i}` })).CampaignID as string
        await writer.create('Note', { RecordID: LeadID, Note: 'called' }, 'Lead')
        await writer.create('Membership', { MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID })
        ids.push(type === 'Lead' ? LeadID : CampaignID)
      })
    await simulator.advance(LAG_MS)
    await poll()
    await simulator.advance(QUARTER_MS)
    const cursor = await account.cursor()
    const deleted: string[] = []
    const meanwhile = async (id: string) => {
      await other.write(1, (writer) => writer.delete(type, id))
      await simulator.advance(LAG_MS)
    }
    for (const [place, id] of ids.entries()) {
      await simulator.advance(LAG_MS)
      if (!(await during(simulator, place, poll, () => meanwhile(id)))) break
      deleted.push(id)
    }
    expect(deleted.length).toBeGreaterThan(account.types.size)
    await simulator.advance(LAG_MS)
    await poll()
    await poll()
    const told = (await account.events(cursor)).map(({ Type, RecordID }) => `${Type} ${RecordID}`)
    expect(told.sort()).toEqual(deleted.map((id) => `${type.toLowerCase()}.deleted ${id}`).sort())
    expect(await account.mirror()).toEqual(await account.account())
  })
})
