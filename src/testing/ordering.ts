import assert from 'node:assert/strict'
import type { GetManyLeadsInput, GetManyOpportunitiesInput } from '../contract/client/groups.ts'
import { behaviour, type Context, theme } from './behaviour.ts'
import { allPages, amountsOf, engine, phone } from './records.ts'

type LeadOrder = GetManyLeadsInput['OrderBy']

/** A new member's leads with these phones, and their phones in an order, read in pages of one size. */
async function phones({ as }: Context, values: readonly (string | null)[]) {
  const { crm } = await as()
  for (const Phone of values) await crm.leads.create({ FirstName: 'Alan', LastName: 'Turing', Phone })
  return async (OrderBy: LeadOrder, Limit = 1000) => (await allPages((Cursor) => crm.leads.getMany({ OrderBy, Limit, Cursor }))).map(({ Phone }) => Phone)
}

const AMOUNTS = [10, null, -1, 9, null, 0.5, 100]
const SORTED = [null, null, -1, 0.5, 9, 10, 100]

export const ordering = theme('ordering', [
  behaviour('the newest come first by default', async ({ as }) => {
    const { crm } = await as()
    const ids: string[] = []
    for (const FirstName of ['a', 'c', 'b']) ids.unshift((await crm.leads.create({ FirstName, LastName: 'Turing' })).LeadID)
    const order = async (OrderBy?: LeadOrder) => (await crm.leads.getMany({ ...(OrderBy && { OrderBy }) })).Records.map(({ LeadID }) => LeadID)
    assert.deepEqual(await order(), ids)
    assert.deepEqual(await order('CreatedDate desc'), ids)
    assert.deepEqual(await order('CreatedDate asc'), ids.toReversed())
    assert.deepEqual(await order('LeadID'), ids.toReversed())
    assert.deepEqual(await order('FirstName'), [ids[2], ids[0], ids[1]])
  }),

  behaviour('null sorts lowest, numbers by value', async (context) => {
    const { crm } = await context.as()
    for (const Amount of amountsOf(context, AMOUNTS)) await crm.opportunities.create({ ...engine(context), Amount })
    for (const Limit of [1000, 2, 1]) {
      const order = async (OrderBy: GetManyOpportunitiesInput['OrderBy']) =>
        (await allPages((Cursor) => crm.opportunities.getMany({ OrderBy, Limit, Cursor }))).map(({ Amount }) => Amount)
      assert.deepEqual(await order('Amount asc'), amountsOf(context, SORTED))
      assert.deepEqual(await order('Amount desc'), amountsOf(context, SORTED.toReversed()))
    }
  }),

  behaviour('text sorts by code point', async (context) => {
    const sorted = ['10', '9', 'A', 'Z', '_', 'a', 'ab', 'b', 'é', 'ı', '東', '\uff5e', '😀', '\u{10ffff}']
    const { crm } = await context.as()
    for (const FirstName of [...sorted.slice(7), ...sorted.slice(0, 7)]) await crm.leads.create({ FirstName, LastName: 'Turing' })
    const order = async (OrderBy: LeadOrder, Limit = 1000) =>
      (await allPages((Cursor) => crm.leads.getMany({ OrderBy, Limit, Cursor }))).map(({ FirstName }) => FirstName)
    assert.deepEqual(await order('FirstName'), sorted)
    assert.deepEqual(await order('FirstName asc', 3), sorted)
    assert.deepEqual(await order('FirstName desc', 3), sorted.toReversed())
  }),

  behaviour('text without a value sorts lowest', async (context) => {
    const sorted = [null, phone(1), phone(2), phone(3)]
    const order = await phones(context, [...sorted.slice(2), ...sorted.slice(0, 2)])
    assert.deepEqual(await order('Phone'), sorted)
    assert.deepEqual(await order('Phone asc', 3), sorted)
    assert.deepEqual(await order('Phone desc', 3), sorted.toReversed())
  }),

  behaviour('dates sort by the calendar', async (context) => {
    const { crm } = await context.as()
    for (const CloseDate of ['2026-10-01', '2026-02-01', '1999-12-31']) await crm.opportunities.create({ ...engine(context), CloseDate })
    assert.deepEqual(
      (await crm.opportunities.getMany({ OrderBy: 'CloseDate' })).Records.map(({ CloseDate }) => CloseDate),
      ['1999-12-31', '2026-02-01', '2026-10-01'],
    )
  }),

  behaviour('ties are broken by id, in the direction of the order', async ({ as }) => {
    const { crm } = await as()
    const ids: string[] = []
    for (let at = 0; at < 5; at++) ids.push((await crm.leads.create({ FirstName: 'Twin', LastName: 'Turing' })).LeadID)
    for (const Limit of [1000, 2]) {
      const order = async (OrderBy: LeadOrder) => (await allPages((Cursor) => crm.leads.getMany({ OrderBy, Limit, Cursor }))).map(({ LeadID }) => LeadID)
      for (const field of ['FirstName', 'Email'] as const) {
        assert.deepEqual(await order(`${field} asc`), ids)
        assert.deepEqual(await order(`${field} desc`), ids.toReversed())
      }
    }
  }),

  behaviour('the direction may be left out, and its case does not matter', async (context) => {
    const order = await phones(context, [phone(2), phone(1), phone(3)])
    for (const OrderBy of ['Phone', 'Phone asc', 'Phone ASC']) assert.deepEqual(await order(OrderBy as LeadOrder), [phone(1), phone(2), phone(3)])
    for (const OrderBy of ['Phone desc', 'Phone DESC', 'Phone Desc']) assert.deepEqual(await order(OrderBy as LeadOrder), [phone(3), phone(2), phone(1)])
  }),

  behaviour('the order holds together with filters', async (context) => {
    const { crm } = await context.as()
    for (const Amount of amountsOf(context, AMOUNTS)) await crm.opportunities.create({ ...engine(context), Amount })
    const { Records } = await crm.opportunities.getMany({ Filters: { Amount: { gt: 0 } }, OrderBy: 'Amount desc', Limit: 2 })
    assert.deepEqual(
      Records.map(({ Amount }) => Amount),
      [100, 10],
    )
  }),

  behaviour('what cannot be ordered by is refused', async ({ crm, refused }) => {
    await refused(crm.call('get_many_leads', { OrderBy: 'Fristname' }), 'invalid_input', { field: 'OrderBy', didYouMean: 'FirstName' })
    for (const OrderBy of [
      'FirstName sideways',
      'FirstName asc desc',
      'FirstName, LastName',
      'FirstName; DROP TABLE leads',
      'Notes',
      'constructor',
      '1',
      'random()',
    ]) {
      await refused(crm.call('get_many_leads', { OrderBy }), 'invalid_input', { field: 'OrderBy' })
    }
    await refused(crm.customObjects.getMany({ OrderBy: 'Values' }), 'invalid_input', { field: 'OrderBy' })
    await refused(crm.call('get_many_keys', { OrderBy: 'Digest' }), 'invalid_input', { field: 'OrderBy' })
    await refused(crm.call('get_many_leads', { OrderBy: 5 }), 'invalid_input', { field: 'OrderBy', code: 'type' })
  }),
])
