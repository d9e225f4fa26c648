import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Crm } from '../../src/contract/client/client.ts'
import { inProcess } from '../support/in-process.ts'
import { runs } from '../support/lane.ts'
import { casesCounted, dealsCounted, leadsCounted } from '../support/recount.ts'
import { SOME_STORES } from '../support/stores.ts'

// Time goes by between the writes, so that there are months to count.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-20T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const STAGES = ['Prospecting', 'Closed Won', 'Closed Lost', 'Own stage', '\uff5e', '😀']
const STATUSES = ['New', 'Closed', 'Own status']
const amount = fc.constantFrom(null, 0, 0.1, 0.2, 3.3333, -5, 1_000_000)
const closes = fc.constantFrom('2025-12-31', '2026-01-20', '2026-02-19', '2026-02-20', '2026-06-30', '2099-01-01')

const step = fc.record({
  who: fc.nat({ max: 3 }),
  at: fc.nat(),
  kind: fc.constantFrom('create' as const, 'create' as const, 'create' as const, 'update' as const, 'give' as const, 'delete' as const),
  what: fc.constantFrom('lead' as const, 'deal' as const, 'deal' as const, 'case' as const),
  stage: fc.constantFrom(...STAGES),
  status: fc.constantFrom(...STATUSES, null),
  amount,
  closes,
  days: fc.constantFrom(0, 0, 0, 1, 9, 40),
})

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
interface Person {
  readonly crm: Crm
  readonly userId: string
}

async function carryOut(one: Step, people: readonly Person[], ids: { lead: string[]; deal: string[]; case: string[] }, admin: Crm): Promise<void> {
  const person = people[one.who % people.length]
  const id = ids[one.what][one.at % Math.max(1, ids[one.what].length)]
  if (!person) return
  if (one.kind === 'create') {
    if (one.what === 'lead') ids.lead.push((await person.crm.leads.create({ FirstName: 'x', LastName: 'x' })).LeadID)
    if (one.what === 'deal')
      ids.deal.push(
        (await person.crm.opportunities.create({ OpportunityName: 'x', Stage: one.stage, CloseDate: one.closes, Amount: one.amount })).OpportunityID,
      )
    if (one.what === 'case') ids.case.push((await person.crm.cases.create({ Subject: 'x', Description: 'x', Status: one.status })).CaseID)
    return
  }
  if (id === undefined) return
  if (one.kind === 'delete') {
    ids[one.what].splice(ids[one.what].indexOf(id), 1)
    if (one.what === 'lead') await admin.leads.delete({ LeadID: id })
    if (one.what === 'deal') await admin.opportunities.delete({ OpportunityID: id })
    if (one.what === 'case') await admin.cases.delete({ CaseID: id })
    return
  }
  const given = one.kind === 'give' ? { OwnerID: person.userId } : {}
  if (one.what === 'lead') await admin.leads.update({ LeadID: id, FieldsToUpdate: { Status: one.status, ...given } })
  if (one.what === 'deal')
    await admin.opportunities.update({ OpportunityID: id, FieldsToUpdate: { Stage: one.stage, Amount: one.amount, CloseDate: one.closes, ...given } })
  if (one.what === 'case') await admin.cases.update({ CaseID: id, FieldsToUpdate: { Status: one.status, ...given } })
}

async function sameAsCounted(crm: Crm, UserID?: string): Promise<void> {
  const user = UserID === undefined ? {} : { UserID }
  const today = new Date().toISOString().slice(0, 10)
  const mine = { Limit: 1000, ...(UserID !== undefined && { Filters: { OwnerID: UserID } }) }
  const deals = (await crm.opportunities.getMany(mine)).Records
  expect(await crm.opportunities.getSummary(user)).toEqual(dealsCounted(deals, today))
  expect(await crm.leads.getSummary(user)).toEqual(leadsCounted((await crm.leads.getMany(mine)).Records))
  expect(await crm.cases.getSummary(user)).toEqual(casesCounted((await crm.cases.getMany(mine)).Records))

  const open = { Stage: { in: ['Prospecting', 'Own stage'] }, Amount: { ne: 0 } }
  const narrowed = deals.filter(({ Stage, Amount }) => open.Stage.in.includes(Stage) && Amount !== 0)
  expect(await crm.opportunities.getSummary({ ...user, Filters: open })).toEqual(dealsCounted(narrowed, today))
}

test.each(SOME_STORES)('on $platform, the figures kept beside the records are those a recount gives, for admins, managers and members', async ({ open }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 120, size: 'max' }), async (steps) => {
      const connection = await inProcess(await open())
      const admin = connection.signIn(connection.adminKey)
      const hire = async (Role: 'manager' | 'member', ManagerID: string | null) => {
        const { UserID } = await admin.users.create({ Name: Role, Role, ManagerID })
        return { userId: UserID, crm: connection.signIn((await admin.keys.create({ UserID, Scopes: ['read', 'write', 'delete'] })).Key) }
      }
      const boss = await hire('manager', null)
      const deputy = await hire('manager', boss.userId)
      const people = [boss, deputy, await hire('member', deputy.userId), await hire('member', null)]
      const ids = { lead: [], deal: [], case: [] }
      for (const one of steps) {
        await carryOut(one, people, ids, admin)
        vi.setSystemTime(Date.now() + one.days * 86_400_000)
      }
      for (const crm of [admin, ...people.map((person) => person.crm)]) await sameAsCounted(crm)
      await sameAsCounted(boss.crm, deputy.userId)
      await sameAsCounted(admin, people[3]?.userId)
      await connection.close()
    }),
    { numRuns: runs(60) },
  )
})
