import { describe, expect, test, vi } from 'vitest'
import { stream } from '../../../src/core/call/stream.ts'
import { processOn } from '../../support/connected.ts'
import { gatedAccount } from '../../support/gated.ts'
import { SHARED_STORES } from '../../support/shared-stores.ts'

const SECRETS = { token: 'simulator' }
const leads = [1, 2, 3, 4, 5].map((i) => ({ FirstName: 'Ada', LastName: `Lovelace ${i}`, Email: `ada${i}@example.com` }))

/** A workspace that uses the first of two accounts. */
async function connected() {
  const [first, second, process] = [
    await gatedAccount(),
    await gatedAccount(),
    await processOn(await (SHARED_STORES.sqlite as (typeof SHARED_STORES)[string])()),
  ]
  const { crm } = process
  const create = (Address: string, InUse: boolean) => crm.connections.create({ Platform: 'hubspot', Address, Secrets: SECRETS, InUse })
  const [from, to] = [await create(first.url, true), await create(second.url, false)]
  const use = ({ ConnectionID }: { readonly ConnectionID: string }) => crm.connections.update({ ConnectionID, FieldsToUpdate: { InUse: true } })
  const names = async () => (await crm.leads.getMany({ OrderBy: 'LastName' })).Records.map(({ LastName }) => LastName)
  return { ...process, first, second, names, toSecond: () => use(to), toFirst: () => use(from) }
}

describe('a workspace that is switched to another account', () => {
  test('a batch that is under way ends on the account on which it began', async () => {
    const { crm, first, second, names, toFirst, toSecond } = await connected()
    const gate = first.hold()
    const batch = crm.batch({ Operations: leads.flatMap((Input) => [{ Operation: 'create_a_lead', Input }, { Operation: 'get_many_leads' }]) })
    await gate.reached()
    await toSecond()
    expect(await names()).toEqual([])
    const requests = second.requests.length
    gate.release()
    expect((await batch).Results.map(({ Status }) => Status)).toEqual(Array(10).fill(200))
    expect(second.requests).toHaveLength(requests)
    expect(await names()).toEqual([])
    await toFirst()
    expect(await names()).toEqual(leads.map(({ LastName }) => LastName))
  })

  test('a call of several steps is checked and written on one account', async () => {
    const { crm, first, second, toFirst, toSecond } = await connected()
    const { CompanyID } = await crm.companies.create({ CompanyName: 'Analytical Engines' })
    const gate = first.hold()
    const creating = crm.contacts.create({ FirstName: 'Ada', LastName: 'Lovelace', CompanyID })
    await gate.reached()
    await toSecond()
    await crm.contacts.getMany({})
    const requests = second.requests.length
    gate.release()
    const { ContactID } = await creating
    expect(second.requests).toHaveLength(requests)
    await toFirst()
    expect(await crm.contacts.get({ ContactID })).toMatchObject({ CompanyID })
  })

  test('a stream goes on where it began, page by page', async () => {
    const { service, caller, crm, names, toSecond } = await connected()
    await crm.batch({ Operations: leads.map((Input) => ({ Operation: 'create_a_lead', Input })) })
    await vi.waitFor(async () => expect(await names()).toHaveLength(leads.length), { timeout: 60_000 })
    const streamed: unknown[] = []
    for await (const page of stream(service, { operation: 'get_many_leads', input: { Limit: 2, OrderBy: 'LastName' }, caller })) {
      if (streamed.length === 0) {
        await toSecond()
        expect(await names()).toEqual([])
      }
      streamed.push(...page.Records.map(({ LastName }) => LastName))
    }
    expect(streamed).toEqual(leads.map(({ LastName }) => LastName))
  })

  test('what a batch itself switches to is what its later calls work on', async () => {
    const { crm, toFirst, names } = await connected()
    const { Records } = await crm.connections.getMany({ Filters: { InUse: false } })
    const [{ ConnectionID }] = Records as [(typeof Records)[number]]
    const [Input] = leads
    const { Results } = await crm.batch({
      Operations: [
        { Operation: 'get_many_leads' },
        { Operation: 'update_connection', Input: { ConnectionID, FieldsToUpdate: { InUse: true } } },
        { Operation: 'create_a_lead', Input },
      ],
    })
    expect(Results.map(({ Status }) => Status)).toEqual([200, 200, 200])
    expect(await names()).toEqual([Input?.LastName])
    await toFirst()
    expect(await names()).toEqual([])
  })
})
