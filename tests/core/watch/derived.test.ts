import { expect, test } from 'vitest'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { watchedAccount } from './account.ts'

test('what a CRM derives by itself is brought up without an event, by a poll that reads the record anyway and when the mirror is verified', async ({
  onTestFinished,
}) => {
  const account = await watchedAccount('salesforce', SALESFORCE, onTestFinished)
  const { other, simulator, poll, verify } = account
  const { CampaignID } = await other.write(1, (writer) => writer.create('Campaign', { CampaignName: 'Fair' }))
  const number = () => account.watched(async ({ mirror }) => (await mirror.get('Campaign', String(CampaignID)))?.NumberOfLeads)
  /** As if it had been another number when the campaign was read, whose dates do not move with it. */
  const wasOther = () =>
    account.watched(({ store }) => store.write(1, (writer) => writer.inMirror().update('Campaign', String(CampaignID), { NumberOfLeads: 7 })))
  await poll()
  const cursor = await account.cursor()
  await wasOther()
  expect(await number()).toBe(7)
  await poll()
  expect(await number()).toBe(0)

  // Longer ago than polls go back.
  await simulator.advance(3_600_000)
  await poll()
  await wasOther()
  await poll()
  expect(await number()).toBe(7)
  expect((await verify()).filter(({ repaired }) => repaired > 0)).toEqual([])
  expect(await number()).toBe(0)
  expect(await account.events(cursor)).toEqual([])
})
