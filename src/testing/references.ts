import assert from 'node:assert/strict'
import { behaviour, type Context, theme } from './behaviour.ts'
import { email } from './records.ts'
import { lastChange } from './writes.ts'

const company = async ({ crm, unique }: Pick<Context, 'crm' | 'unique'>) => (await crm.companies.create({ CompanyName: unique('Engines') })).CompanyID

const contact = async (context: Context, CompanyID: string | null = null) =>
  (await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context), CompanyID })).ContactID

export const references = theme('references', [
  behaviour('a reference to what does not exist for the caller is not found, and nothing is written', async (context) => {
    const { as, refused } = context
    const member = await as()
    const hidden = await company(context)
    const mine = (await member.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })).ContactID
    for (const CompanyID of ['nothing', hidden]) {
      await refused(member.crm.contacts.create({ LastName: 'King', Email: email(context), CompanyID }), 'not_found', { field: 'CompanyID' })
      await refused(member.crm.contacts.update({ ContactID: mine, FieldsToUpdate: { CompanyID } }), 'not_found', { field: 'FieldsToUpdate.CompanyID' })
    }
    assert.deepEqual(
      (await member.crm.contacts.getMany({})).Records.map(({ ContactID, CompanyID }) => [ContactID, CompanyID]),
      [[mine, null]],
    )
  }),

  behaviour('records are found by their references, and by fields of the records behind them', async (context) => {
    const { crm, unique } = context
    const [here, there] = [await company(context), await company(context)]
    const name = (await crm.companies.get({ CompanyID: here })).CompanyName
    const [one, two, none] = [await contact(context, here), await contact(context, there), await contact(context)]
    const among = { ContactID: { in: [one, two, none] } }
    const found = async (Filters: object) =>
      (await crm.contacts.getMany({ Filters: { ...among, ...Filters } })).Records.map(({ ContactID }) => ContactID).sort()
    assert.deepEqual(await found({ CompanyID: here }), [one])
    assert.deepEqual(await found({ 'Company.CompanyName': name }), [one])
    assert.deepEqual(await found({ 'Company.CompanyName': { ne: name } }), [two, none].sort())
    assert.deepEqual(await found({ 'Company.CompanyName': null }), [none])
    assert.deepEqual(await found({ not: { 'Company.CompanyName': { startsWith: unique('Nothing') } } }), [one, two, none].sort())
    assert.deepEqual(await found({ any: [{ 'Company.CompanyName': name }, { CompanyID: null }] }), [one, none].sort())
  }),

  behaviour('what lies behind a reference that the caller may not see is as if it were not there', async (context) => {
    const { crm, as } = context
    const member = await as()
    const CompanyID = await company(context)
    const { CompanyName } = await crm.companies.get({ CompanyID })
    const { ContactID } = await member.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })
    await crm.contacts.update({ ContactID, FieldsToUpdate: { CompanyID } })
    assert.equal((await member.crm.contacts.get({ ContactID, Include: ['Company'] })).Company, null)
    assert.deepEqual((await member.crm.contacts.getMany({ Filters: { 'Company.CompanyName': CompanyName } })).Records, [])
    assert.equal(
      (await crm.contacts.getMany({ Filters: { 'Company.CompanyName': CompanyName }, Include: ['Company'] })).Records[0]?.Company?.CompanyID,
      CompanyID,
    )
  }),

  behaviour('an unknown reference or field behind one is refused with the nearest name', async ({ crm, as, refused }) => {
    await refused(crm.contacts.getMany({ Filters: { 'Compny.CompanyName': 'x' } }), 'invalid_input', { code: 'unknown', didYouMean: 'Company' })
    await refused(crm.contacts.getMany({ Filters: { 'Company.CompanyNme': 'x' } }), 'invalid_input', { code: 'unknown', didYouMean: 'CompanyName' })
    await refused(crm.call('get_contact', { ContactID: 'x', Include: ['Compny'] }), 'invalid_input', { field: 'Include.0' })
    await refused(crm.call('create_company', { Name: 'Engines' }), 'invalid_input', { field: 'Name', didYouMean: 'CompanyName' })
    const narrow = await as({ scopes: ['read:Opportunity'] })
    const Filters = { 'Company.Industry': 'Retail' }
    const error = await refused(narrow.crm.call('get_many_opportunities', { Filters }), 'invalid_input', { field: 'Filters.Company.Industry' })
    assert.match(error.message, /may not read the Company/)
  }),

  behaviour('deleting a record empties the references to it, and says how many', async (context) => {
    const { crm, refused } = context
    const CompanyID = await company(context)
    const contacts = [await contact(context, CompanyID), await contact(context, CompanyID)]
    const answer = await crm.companies.delete({ CompanyID })
    assert.deepEqual(answer, { CompanyID, Deleted: true, Emptied: { Contact: 2 } })
    for (const ContactID of contacts) assert.equal((await crm.contacts.get({ ContactID })).CompanyID, null)
    await refused(crm.companies.get({ CompanyID }), 'not_found')
  }),

  behaviour(
    'undoing that brings the record and the references back, as one step',
    async (context) => {
      const { crm } = context
      const CompanyID = await company(context)
      const [first, second] = [await contact(context, CompanyID), await contact(context, CompanyID)]
      await crm.companies.delete({ CompanyID })
      const { ChangeID, GroupID } = await lastChange(context, CompanyID)
      assert.ok(GroupID !== null)
      // Other changes since make no difference, and neither does a reference that was set anew.
      await crm.contacts.update({ ContactID: first, FieldsToUpdate: { LastName: 'King' } })
      const other = await company(context)
      await crm.contacts.update({ ContactID: second, FieldsToUpdate: { CompanyID: other } })
      await crm.changes.undo({ ChangeID })
      assert.equal((await crm.companies.get({ CompanyID })).CompanyID, CompanyID)
      const [one, two] = [await crm.contacts.get({ ContactID: first }), await crm.contacts.get({ ContactID: second })]
      assert.deepEqual([one.LastName, one.CompanyID, two.CompanyID], ['King', CompanyID, other])
    },
    { needs: 'restore' },
  ),

  behaviour(
    'such an undo is undone in turn, again and again',
    async (context) => {
      const { crm } = context
      const CompanyID = await company(context)
      const ContactID = await contact(context, CompanyID)
      await crm.companies.delete({ CompanyID })
      for (const now of [CompanyID, null, CompanyID]) {
        await crm.changes.undo({ ChangeID: (await lastChange(context, CompanyID)).ChangeID })
        assert.equal((await crm.contacts.get({ ContactID })).CompanyID, now)
      }
    },
    { needs: 'restore' },
  ),

  behaviour('a case cannot be its own parent, at any depth', async (context) => {
    const { crm, described, refused } = context
    const made = async (ParentID: string | null) => (await crm.cases.create({ Subject: 'Jam', Description: 'It sticks.', ParentID })).CaseID
    if (!described('Case', 'ParentID').Writable) return void (await refused(made('x'), 'unsupported', { field: 'ParentID' }))
    const top = await made(null)
    const below = await made(await made(top))
    for (const ParentID of [top, below]) await refused(crm.cases.update({ CaseID: top, FieldsToUpdate: { ParentID } }), 'conflict')
    assert.equal((await crm.cases.get({ CaseID: top })).ParentID, null)
  }),
])
