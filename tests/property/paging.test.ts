import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inProcess } from '../support/in-process.ts'
import { runs } from '../support/lane.ts'
import { STORES } from '../support/stores.ts'

const phone = fc.constantFrom('a', 'b', 'c', null)

/** What others do between two pages. */
const write = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), phone }),
  fc.record({ kind: fc.constant('update' as const), at: fc.nat(), phone }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat() }),
)

const asked = fc.record({
  phones: fc.array(phone, { minLength: 1, maxLength: 25 }),
  Limit: fc.integer({ min: 1, max: 6 }),
  OrderBy: fc.constantFrom(undefined, 'Phone', 'Phone desc', 'CreatedDate', 'LeadID desc', 'UpdatedDate', 'UpdatedDate desc'),
  Phone: fc.constantFrom(undefined, 'a', null, { ne: 'b' }, { in: ['a', null] }),
  writes: fc.array(fc.array(write, { maxLength: 4 }), { minLength: 30, maxLength: 30 }),
})

test.each(STORES)('on $platform, while others write, every unchanged match appears exactly once, in order', async ({ open }) => {
  const connection = await inProcess(await open())
  const admin = connection.signIn(connection.adminKey)
  await fc.assert(
    fc.asyncProperty(asked, async ({ phones, Limit, OrderBy, Phone, writes }) => {
      const { UserID } = await admin.users.create({ Name: 'Reader' })
      const crm = connection.signIn((await admin.keys.create({ UserID, Scopes: ['read', 'write', 'delete'] })).Key)
      const unchanged = new Set<string>()
      const ids: string[] = []
      for (const one of phones) ids.push((await crm.leads.create({ FirstName: 'x', LastName: 'x', Phone: one })).LeadID)
      const input = { Limit, ...(OrderBy !== undefined && { OrderBy }), ...(Phone !== undefined && { Filters: { Phone } }) }
      const before = (await crm.leads.getMany({ ...input, Limit: 1000 })).Records.map(({ LeadID }) => LeadID)
      for (const id of before) unchanged.add(id)

      const seen: string[] = []
      let Cursor: string | null = null
      let round = 0
      do {
        const page: Awaited<ReturnType<typeof crm.leads.getMany>> = await crm.leads.getMany({ ...input, Cursor })
        expect(page.Records.length).toBeLessThanOrEqual(Limit)
        seen.push(...page.Records.map(({ LeadID }) => LeadID))
        Cursor = page.NextCursor
        for (const one of writes[round] ?? []) {
          if (one.kind === 'create') {
            ids.push((await crm.leads.create({ FirstName: 'x', LastName: 'x', Phone: one.phone })).LeadID)
            continue
          }
          const LeadID = ids[one.at % ids.length]
          if (LeadID === undefined) continue
          unchanged.delete(LeadID)
          if (one.kind === 'update') await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: one.phone } })
          else {
            ids.splice(ids.indexOf(LeadID), 1)
            await crm.leads.delete({ LeadID })
          }
        }
        round += 1
      } while (Cursor !== null)

      expect(seen.filter((id) => unchanged.has(id))).toEqual(before.filter((id) => unchanged.has(id)))
    }),
    { numRuns: runs(150) },
  )
  await connection.close()
})
