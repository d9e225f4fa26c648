import { expect, test } from 'vitest'
import { watchWorkspace } from '../../../src/core/watch/watch.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { overCrm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'

const FILTERS = [{ OwnerID: { ne: null } }, { OwnerID: null }, { OwnerID: 'nobody' }, { OwnerID: { ne: 'nobody' } }] as const

test.for([
  ['salesforce', SALESFORCE, [2, 0, 0, 2]],
  ['espocrm', ESPOCRM, [2, 0, 1, 1]],
] as const)('filters by the owner find the same in the mirror and in %s', async ([, kind, counts], { onTestFinished }) => {
  const connection = await overCrm(kind, { isWatched: true })
  const other = await otherClient(kind, connection.simulator.url)
  onTestFinished(async () => {
    await other.close()
    await connection.close()
  })
  const { leads, campaigns } = connection.signIn(connection.adminKey)
  await leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  await campaigns.create({ CampaignName: 'Fair' })
  await other.write(1, async (writer) => {
    await writer.create('Lead', { LastName: 'Hopper', Status: 'Open' })
    await writer.create('Campaign', { CampaignName: 'Ball' })
  })
  await connection.simulator.advance(60_000)
  await watchWorkspace(connection.service, 1, new AbortController().signal)
  for (const Fresh of [true, false]) {
    const found = FILTERS.map(async (Filters) => [
      (await leads.getMany({ Filters, Fresh })).Records.length,
      (await campaigns.getMany({ Filters, Fresh })).Records.length,
    ])
    expect(await Promise.all(found)).toEqual(counts.map((count) => [count, count]))
  }
})
