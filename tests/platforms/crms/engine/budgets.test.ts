import { expect, onTestFinished, test } from 'vitest'
import type { Budget } from '../../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import { openCrm } from '../../../support/crms.ts'

const OVER: Budget = { share: 'a', isOver: true, signal: AbortSignal.abort(new Error('It is over.')) }

test.each(ALL_CRMS)('%s: a search ends between two pages once the budget of its call is over, and one without goes on', async (_, crm) => {
  const { platform, simulator } = await openCrm(crm)
  onTestFinished(async () => {
    await platform.close()
    await simulator.close()
  })
  await platform.write(1, (writer) => writer.create('Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'New' }))
  const query = { where: [], order: { field: 'CreatedDate', descending: true }, limit: 10 }
  await expect(platform.reader(1, { budget: OVER }).find('Lead', query)).rejects.toThrow('It is over.')
  expect((await platform.reader(1).find('Lead', query)).records).toHaveLength(1)
})
