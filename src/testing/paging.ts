import assert from 'node:assert/strict'
import type { GetManyLeadsInput } from '../contract/client/groups.ts'
import { behaviour, type Client, theme } from './behaviour.ts'
import { ADA, ALAN, allPages, engine, GRACE, phone } from './records.ts'

async function makeLeads(crm: Client, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push((await crm.leads.create({ FirstName: `Lead ${at}`, LastName: 'Turing', Phone: phone(at % 3) })).LeadID)
  return ids
}

/** Values that no record has, by order. The digest of a cursor covers the type of its value only, and is no secret. */
const FORGED = [
  ['OpportunityName', ['\u0000', 'a\u0000', '\ud800']],
  ['CloseDate', ['\u0000', 'yesterday', '2026-02-30', "2026-01-01'"]],
  ['UpdatedDate', ['\u0000', 'now', '2026-01-01']],
  ['CreatedDate', ['\u0000', 'now']],
] as const

export const paging = theme('paging', [
  behaviour('a page holds 100 records by default', async ({ as }) => {
    const { crm } = await as()
    const ids = await makeLeads(crm, 101)
    const first = await crm.leads.getMany({})
    assert.equal(first.Records.length, 100)
    const second = await crm.leads.getMany({ Cursor: first.NextCursor })
    assert.equal(second.NextCursor, null)
    assert.deepEqual(
      [...first.Records, ...second.Records].map(({ LeadID }) => LeadID),
      ids.toReversed(),
    )
    assert.equal((await crm.leads.getMany({ Limit: 1000 })).Records.length, 101)
  }),

  behaviour('pages of every size yield every record once, in order', async ({ as }) => {
    const { crm } = await as()
    const ids = (await makeLeads(crm, 7)).toReversed()
    for (const Limit of [1, 2, 3, 6, 7, 8, 1000]) {
      const found = await allPages((Cursor) => crm.leads.getMany({ Limit, Cursor }))
      assert.deepEqual(
        found.map(({ LeadID }) => LeadID),
        ids,
        `pages of ${Limit}`,
      )
    }
    assert.equal((await crm.leads.getMany({ Limit: 7 })).NextCursor, null)
    assert.equal(typeof (await crm.leads.getMany({ Limit: 6 })).NextCursor, 'string')
    assert.deepEqual({ ...(await crm.leads.getMany({ Filters: { FirstName: 'nobody' } })) }, { Records: [], NextCursor: null })
  }),

  behaviour('pages keep filters and order together', async ({ as }) => {
    const { crm } = await as()
    await makeLeads(crm, 9)
    const found = await allPages((Cursor) => crm.leads.getMany({ Filters: { Phone: { ne: phone(1) } }, OrderBy: 'Phone desc', Limit: 2, Cursor }))
    assert.deepEqual(
      found.map(({ FirstName }) => FirstName),
      ['Lead 8', 'Lead 5', 'Lead 2', 'Lead 6', 'Lead 3', 'Lead 0'],
    )
  }),

  behaviour('records that stay as they are appear exactly once while others write', async ({ as }) => {
    const { crm } = await as()
    const kept = await makeLeads(crm, 10)
    const doomed = await makeLeads(crm, 5)
    const touched = await makeLeads(crm, 5)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<Client['leads']['getMany']>> = await crm.leads.getMany({ Limit: 3, Cursor: cursor })
      seen.push(...page.Records.map(({ LeadID }) => LeadID))
      cursor = page.NextCursor
      await crm.leads.create(GRACE)
      const LeadID = doomed.pop()
      if (LeadID) await crm.leads.delete({ LeadID })
      const changed = touched.pop()
      if (changed) await crm.leads.update({ LeadID: changed, FieldsToUpdate: { Phone: phone(4) } })
    } while (cursor !== null)
    for (const id of kept) assert.equal(seen.filter((one) => one === id).length, 1)
    assert.equal(new Set(seen).size, seen.length)
  }),

  behaviour('the record a page ended with may go without disturbing the next page', async ({ as }) => {
    const { crm } = await as()
    const ids = (await makeLeads(crm, 6)).toReversed()
    const first = await crm.leads.getMany({ Limit: 3, OrderBy: 'CreatedDate desc' })
    await crm.leads.delete({ LeadID: ids[2] ?? '' })
    const next = await crm.leads.getMany({ Limit: 3, OrderBy: 'CreatedDate desc', Cursor: first.NextCursor })
    assert.deepEqual(
      next.Records.map(({ LeadID }) => LeadID),
      ids.slice(3),
    )
  }),

  behaviour('a page may end with the longest text there is', async ({ as, unique }) => {
    const { crm } = await as()
    const texts = ['b', 'a', 'c'].map((last) => `${'é'.repeat(31_999)}${last}`)
    const ObjectName = unique('Book')
    for (const Description of texts) {
      await crm.cases.create({ Subject: 'x', Description })
      await crm.customObjects.create({ ObjectName, Fields: { Text: { Type: 'String', Label: 'Text', Value: Description } } })
    }
    const cases = await allPages((Cursor) => crm.cases.getMany({ OrderBy: 'Description', Limit: 1, Cursor }))
    assert.deepEqual(
      cases.map(({ Description }) => Description.slice(-1)),
      ['a', 'b', 'c'],
    )
    const books = await allPages((Cursor) => crm.customObjects.getMany({ Filters: { ObjectName }, OrderBy: 'Text desc', Limit: 1, Cursor }))
    assert.deepEqual(
      books.map(({ Values }) => String(Values.Text).slice(-1)),
      ['c', 'b', 'a'],
    )
  }),

  behaviour('a limit is a whole number from 1 to 1000', async ({ crm, refused }) => {
    for (const Limit of [0, -1, 1001, 1.5, '10', null, true, 1e9]) await refused(crm.call('get_many_leads', { Limit }), 'invalid_input', { field: 'Limit' })
    for (const Limit of [0, 1001]) await refused(crm.call('get_many_notes', { RecordID: 'x', Limit }), 'invalid_input', { field: 'Limit' })
  }),

  behaviour('a cursor that was never given out is refused', async ({ as, refused }) => {
    const { crm } = await as()
    await makeLeads(crm, 3)
    const { NextCursor } = await crm.leads.getMany({ Limit: 1 })
    const bent = `${(NextCursor ?? '').slice(0, -3)}AAA`
    for (const Cursor of ['garbage', '', '0', '{}', 'e30', bent]) await refused(crm.leads.getMany({ Limit: 1, Cursor }), 'invalid_input', { field: 'Cursor' })
    await refused(crm.call('get_many_leads', { Cursor: 5 }), 'invalid_input', { field: 'Cursor' })
    await refused(crm.leads.getMany({ Cursor: 'x'.repeat(5000) }), 'invalid_input', { field: 'Cursor' })
  }),

  behaviour('a cursor is refused for other filters, another order or another operation', async ({ as, refused }) => {
    const { crm } = await as()
    await makeLeads(crm, 4)
    const { NextCursor: Cursor } = await crm.leads.getMany({ Limit: 1, Filters: { LastName: 'Turing' }, OrderBy: 'Phone' })
    assert.equal((await crm.leads.getMany({ Limit: 1, Filters: { LastName: 'Turing' }, OrderBy: 'Phone', Cursor })).Records.length, 1)
    await refused(crm.leads.getMany({ Limit: 1, OrderBy: 'Phone', Cursor }), 'invalid_input', { field: 'Cursor' })
    await refused(crm.leads.getMany({ Limit: 1, Filters: { LastName: 'Hopper' }, OrderBy: 'Phone', Cursor }), 'invalid_input', { field: 'Cursor' })
    await refused(crm.leads.getMany({ Limit: 1, Filters: { LastName: 'Turing' }, OrderBy: 'Phone desc', Cursor }), 'invalid_input', { field: 'Cursor' })
    await refused(crm.leads.getMany({ Limit: 1, Filters: { LastName: 'Turing' }, Cursor }), 'invalid_input', { field: 'Cursor' })
    const { NextCursor } = await crm.leads.getMany({ Limit: 1 })
    await refused(crm.cases.getMany({ Limit: 1, Cursor: NextCursor }), 'invalid_input', { field: 'Cursor' })
  }),

  behaviour("another user's cursor shows callers only their own records", async ({ as, refused }) => {
    const [ada, grace] = [await as(), await as()]
    await makeLeads(ada.crm, 3)
    await makeLeads(grace.crm, 3)
    const { NextCursor: Cursor } = await ada.crm.leads.getMany({ Limit: 1 })
    const answer = grace.crm.leads.getMany({ Limit: 1000, Cursor })
    const page = await answer.catch(() => undefined)
    if (page) for (const { OwnerID } of page.Records) assert.equal(OwnerID, grace.userId)
    else await refused(answer, 'invalid_input', { field: 'Cursor' })
  }),

  behaviour('Select answers with the fields it names and the id', async ({ crm: admin, as, refused }) => {
    const { crm } = await as()
    const { LeadID } = await crm.leads.create(ADA)
    const select = async (...Select: NonNullable<GetManyLeadsInput['Select']>) =>
      (await crm.leads.getMany({ Select })).Records.map((record) => ({ ...record }) as object)
    assert.deepEqual(await select('Phone'), [{ LeadID, Phone: ADA.Phone }])
    assert.deepEqual(await select('Phone', 'FirstName', 'Phone', 'LeadID'), [{ LeadID, FirstName: ADA.FirstName, Phone: ADA.Phone }])
    await refused(crm.call('get_many_leads', { Select: ['Emial'] }), 'invalid_input', { field: 'Select', didYouMean: 'Email' })
    for (const name of ['Notes', 'constructor', '*']) await refused(crm.call('get_many_leads', { Select: [name] }), 'invalid_input', { field: 'Select' })
    await refused(crm.call('get_many_leads', { Select: 'Email' }), 'invalid_input', { field: 'Select', code: 'type' })
    await refused(admin.call('get_many_keys', { Select: ['Digest'] }), 'invalid_input', { field: 'Select' })
  }),

  behaviour('a cursor that was altered, or is from another workspace, is refused with all other faults', async ({ as, crm: admin, other, refused }) => {
    const { crm } = await as()
    for (const draft of [ADA, GRACE]) await crm.leads.create(draft)
    const { NextCursor } = await crm.leads.getMany({ Limit: 1, OrderBy: 'LastName' })
    const parts = JSON.parse(Buffer.from(NextCursor ?? '', 'base64url').toString()) as unknown[]
    const altered = Buffer.from(JSON.stringify([parts[0], true, parts[2]])).toString('base64url')
    for (const Cursor of [altered, `${NextCursor}x`, 'abc'])
      await refused(crm.leads.getMany({ OrderBy: 'LastName', Cursor }), 'invalid_input', { field: 'Cursor' })
    await refused(other.leads.getMany({ OrderBy: 'LastName', Cursor: NextCursor }), 'invalid_input', { field: 'Cursor' })
    const error = await refused(admin.call('get_many_leads', { Cursor: 'abc', Limit: 0, Filters: { Nonsense: 1 } }), 'invalid_input')
    assert.deepEqual(error.errors?.map(({ field }) => field).sort(), ['Cursor', 'Filters.Nonsense', 'Limit'])
  }),

  behaviour('a forged cursor is refused, whatever value it holds', async (context) => {
    const { as, refused } = context
    const { crm } = await as()
    for (const draft of [engine(context), engine(context)]) await crm.opportunities.create(draft)
    for (const [OrderBy, values] of FORGED) {
      const { NextCursor } = await crm.opportunities.getMany({ Limit: 1, OrderBy })
      const [digest, value, id] = JSON.parse(Buffer.from(NextCursor ?? '', 'base64url').toString()) as unknown[]
      const cursors = [...values.map((forged) => [digest, forged, id]), [digest, value, `${id}\u0000`], [digest, value, '\ud800']]
      for (const parts of cursors) {
        const Cursor = Buffer.from(JSON.stringify(parts)).toString('base64url')
        await refused(crm.opportunities.getMany({ Limit: 1, OrderBy, Cursor }), 'invalid_input', { field: 'Cursor' })
      }
    }
  }),

  behaviour('Select and the order are independent, page by page', async ({ as }) => {
    const { crm } = await as()
    for (const draft of [ADA, GRACE, ALAN]) await crm.leads.create(draft)
    const found = await allPages((Cursor) => crm.leads.getMany({ Select: ['LastName'], OrderBy: 'FirstName', Limit: 1, Cursor }))
    assert.deepEqual(
      found.map((record) => Object.keys(record).sort()),
      [
        ['LastName', 'LeadID'],
        ['LastName', 'LeadID'],
        ['LastName', 'LeadID'],
      ],
    )
    assert.deepEqual(
      found.map(({ LastName }) => LastName),
      ['Lovelace', 'Turing', 'Hopper'],
    )
  }),
])
