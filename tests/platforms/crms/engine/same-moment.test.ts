import { expect, test } from 'vitest'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import { withMovedClock } from '../../../support/moved-clock.ts'

const LEADS = 120

test.each(ALL_CRMS)('%s: the first of many records that were created in one moment is found in a few requests', async (_name, kind) => {
  let requests = 0
  const { start, pass } = await withMovedClock({
    ...kind,
    simulate(world) {
      const simulated = kind.simulate(world)
      return {
        ...simulated,
        answer(request) {
          requests++
          return simulated.answer(request)
        },
      }
    },
  })
  const { crm } = await start()
  await Promise.all(Array.from({ length: LEADS }, (_, i) => crm.leads.create({ FirstName: 'Ada', LastName: `Lovelace ${i}` })))
  await pass(60)
  const all = (await crm.leads.getMany({ Limit: 200 })).Records
  expect(all).toHaveLength(LEADS)
  expect(new Set(all.map(({ CreatedDate }) => CreatedDate)).size).toBe(1)
  requests = 0
  expect((await crm.leads.getMany({ Limit: 1 })).Records).toEqual(all.slice(0, 1))
  expect(requests).toBeLessThanOrEqual(6)
})
