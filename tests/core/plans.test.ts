import { expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import type { CrmError } from '../../src/contract/errors.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService } from '../../src/core/service.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'

const MINUTE_MS = 60_000

async function atSomeTime() {
  const store = await openSqlite(':memory:')
  onTestFinished(() => store.close())
  let now = Date.now()
  const service = createService({ platform: store, store, now: () => new Date(now) })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const crm = clientOf(inProcessTransport(service, () => caller))
  const lead = async () => ({ LeadID: (await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })).LeadID })
  const plan = async (input: { LeadID: string }) => {
    const refusal: unknown = await crm.leads.delete(input, { confirm: true }).catch((error: unknown) => error)
    return (refusal as CrmError).plan ?? expect.fail('There is no plan.')
  }
  return {
    crm,
    lead,
    plan,
    later: (ms: number) => {
      now += ms
    },
  }
}

test('a plan can be confirmed for a quarter of an hour', async () => {
  const { crm, lead, plan, later } = await atSomeTime()
  const [early, late] = [await lead(), await lead()]
  const [inTime, tooLate] = [await plan(early), await plan(late)]
  later(14 * MINUTE_MS)
  await crm.leads.delete(early, { confirm: true, confirmation: inTime.Token })
  later(MINUTE_MS)
  const expired = { code: 'conflict', message: `This plan expired at ${tooLate.ExpiresDate}.` }
  await expect(crm.leads.delete(late, { confirm: true, confirmation: tooLate.Token })).rejects.toMatchObject(expired)
  await expect(crm.plans.allow({ PlanID: tooLate.PlanID })).rejects.toMatchObject(expired)
  await expect(crm.plans.refuse({ PlanID: tooLate.PlanID })).rejects.toMatchObject(expired)
  expect((await crm.leads.getMany({})).Records).toMatchObject([late])
})

test('a plan is let go a day after it expired, once another is made', async () => {
  const { crm, lead, plan, later } = await atSomeTime()
  const old = await plan(await lead())
  later(24 * 60 * MINUTE_MS)
  const newer = await plan(await lead())
  expect((await crm.plans.getMany({})).Records.map(({ PlanID }) => PlanID)).toEqual([newer.PlanID, old.PlanID])
  later(16 * MINUTE_MS)
  await plan(await lead())
  expect((await crm.plans.getMany({})).Records.map(({ PlanID }) => PlanID)).not.toContain(old.PlanID)
})

test('of two calls with one token at the same time, one acts', async () => {
  const { crm, lead, plan } = await atSomeTime()
  const input = await lead()
  const { Token } = await plan(input)
  const ends = await Promise.allSettled([1, 2, 3].map(() => crm.leads.delete(input, { confirm: true, confirmation: Token })))
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
})
