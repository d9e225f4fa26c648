import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, email } from './records.ts'
import { lastChange } from './writes.ts'

/** Enough to meet each other, few enough for a CRM. */
const AT_ONCE = 20

export const upserts = theme('upserts and conversion', [
  behaviour('equal upserts at once leave one record', async (context) => {
    const { crm } = context
    const Email = email(context)
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => crm.leads.upsert({ ...ADA, Email, MatchBy: ['Email'] })))
    assert.equal(new Set(answers.map(({ LeadID }) => LeadID)).size, 1)
    assert.equal(answers.filter(({ Created }) => Created).length, 1)
    assert.equal((await crm.leads.getMany({ Filters: { LeadID: { in: answers.map(({ LeadID }) => LeadID) } } })).Records.length, 1)
  }),

  behaviour('an e-mail address matches what the platform has stored of it, in capitals or not', async (context) => {
    const { crm } = context
    const Email = email(context).toUpperCase()
    const { LeadID } = await crm.leads.upsert({ ...ADA, Email, MatchBy: ['Email'] })
    const again = await crm.leads.upsert({ ...ADA, Email, Phone: null, MatchBy: ['Email'] })
    assert.deepEqual([again.LeadID, again.Created], [LeadID, false])
    const lower = await crm.leads.upsert({ ...ADA, Email: email(context), MatchBy: ['Email'] })
    const capitals = await crm.leads.upsert({ ...ADA, Email: (lower.Email ?? '').toUpperCase(), MatchBy: ['Email'] })
    assert.deepEqual([capitals.LeadID, capitals.Created], [lower.LeadID, false])
  }),

  behaviour('where several match nothing is written, and their ids are named', async (context) => {
    const { crm, refused, unique } = context
    const LastName = unique('Hopper')
    const ids = [(await crm.leads.create({ ...ADA, LastName })).LeadID, (await crm.leads.create({ ...ADA, LastName })).LeadID]
    const error = await refused(crm.leads.upsert({ FirstName: 'Grace', LastName, MatchBy: ['LastName'] }), 'conflict', { field: 'MatchBy' })
    for (const id of ids) assert.ok(error.message.includes(id))
    assert.deepEqual(new Set((await crm.leads.getMany({ Filters: { LastName } })).Records.map(({ FirstName }) => FirstName)), new Set(['Ada']))
  }),

  behaviour('a new record needs what a create needs, and an update does not', async (context) => {
    const { crm, refused } = context
    const Email = email(context)
    await refused(crm.leads.upsert({ Email, MatchBy: ['Email'] }), 'invalid_input', { field: 'FirstName', code: 'missing' })
    await refused(crm.leads.upsert({ ...ADA, MatchBy: ['Email'] }), 'invalid_input', { field: 'Email', code: 'missing' })
    const { LeadID } = await crm.leads.upsert({ ...ADA, Email, MatchBy: ['Email'] })
    const second = await crm.leads.upsert({ Email, Phone: null, MatchBy: ['Email'] })
    assert.deepEqual([second.LeadID, second.Created, second.Phone, second.FirstName], [LeadID, false, null, ADA.FirstName])
  }),

  behaviour('what the caller may not see is neither matched nor changed', async (context) => {
    const { crm, as, unique } = context
    const LastName = unique('Hopper')
    const { LeadID } = await crm.leads.create({ ...ADA, LastName })
    const made = await (await as()).crm.leads.upsert({ FirstName: 'Grace', LastName, MatchBy: ['LastName'] })
    assert.equal(made.Created, true)
    assert.equal((await crm.leads.get({ LeadID })).FirstName, 'Ada')
  }),

  behaviour('no two records of a type have the same ExternalID', async (context) => {
    const { crm, described, refused, unique } = context
    const ExternalID = unique('id')
    if (!described('Lead', 'ExternalID').Writable) return void (await refused(crm.leads.create({ ...ADA, ExternalID }), 'unsupported', { field: 'ExternalID' }))
    const { LeadID } = await crm.leads.create({ ...ADA, ExternalID })
    await refused(crm.leads.create({ ...ADA, ExternalID }), 'conflict', { field: 'ExternalID' })
    const other = await crm.leads.create(ADA)
    await refused(crm.leads.update({ LeadID: other.LeadID, FieldsToUpdate: { ExternalID } }), 'conflict', { field: 'FieldsToUpdate.ExternalID' })
    assert.equal((await crm.leads.update({ LeadID, FieldsToUpdate: { ExternalID, Phone: null } })).ExternalID, ExternalID)
    assert.deepEqual(
      (await crm.leads.getMany({ Filters: { ExternalID } })).Records.map((one) => one.LeadID),
      [LeadID],
    )
  }),

  behaviour('a lead is converted once', async (context) => {
    const { crm, lacks, refused } = context
    const { LeadID, Company, City } = await crm.leads.create({ ...ADA, Email: email(context), Company: 'Analytical Engines', City: 'London' })
    const { CompanyID } = await crm.leads.convert({ LeadID })
    const company = await crm.companies.get({ CompanyID })
    assert.deepEqual([company.CompanyName, company.City], [Company, City])
    await refused(crm.leads.convert({ LeadID }), lacks('converted leads') ? 'not_found' : 'conflict')
  }),

  behaviour('the opportunity of a conversion is checked like any other, before anything is written', async (context) => {
    const { crm, as, described, refused, unique } = context
    const { LeadID } = await crm.leads.create({ ...ADA, Email: email(context), Company: unique('Engines') })
    const Opportunity = { OpportunityName: unique('Engine'), Stage: 'Prospecting', CloseDate: '2026-12-31' }
    const convert = (more: object, dryRun = false) => crm.call('convert_lead', { LeadID, Opportunity: { ...Opportunity, ...more } }, { dryRun })
    const given = { Type: 'New Business', LeadSource: 'Web', NextStep: 'Call', Description: 'An engine', Probability: 10 } as const
    const absent = Object.keys(given).filter((name) => !described('Opportunity', name).Writable)
    const ExternalID = unique('id')
    const hasExternalId = described('Opportunity', 'ExternalID').Writable
    if (hasExternalId) await crm.opportunities.create({ ...Opportunity, ExternalID })
    for (const dryRun of [true, false]) {
      for (const name of absent) await refused(convert({ [name]: Reflect.get(given, name) }, dryRun), 'unsupported', { field: `Opportunity.${name}` })
      if (hasExternalId) await refused(convert({ ExternalID }, dryRun), 'conflict', { field: 'Opportunity.ExternalID' })
      if (described('Opportunity', 'Stage').AllowedValues) await refused(convert({ Stage: 'Nope' }, dryRun), 'invalid_input', { field: 'Opportunity.Stage' })
      await refused(convert({ OwnerID: 'nothing' }, dryRun), 'not_found', { field: 'Opportunity.OwnerID' })
      await refused(convert({ CampaignID: 'nothing' }, dryRun), described('Opportunity', 'CampaignID').Writable ? 'not_found' : 'unsupported')
      await refused(convert({ CompanyID: 'nothing' }, dryRun), 'invalid_input', { field: 'Opportunity.CompanyID', code: 'unknown' })
    }
    const { userId } = await as()
    const { OpportunityID } = (await convert({ OwnerID: userId })) as { readonly OpportunityID: string }
    assert.equal((await crm.opportunities.get({ OpportunityID })).OwnerID, userId)
  }),

  behaviour('a contact joins the company that a lead is converted into, unless it has another', async (context) => {
    const { crm, refused, unique } = context
    const newLead = async () => (await crm.leads.create({ ...ADA, Email: email(context) })).LeadID
    const newContact = async (more: object) => (await crm.contacts.create({ LastName: 'Babbage', Email: email(context), ...more })).ContactID
    const [first, second] = [await crm.companies.create({ CompanyName: unique('Engines') }), await crm.companies.create({ CompanyName: unique('Mills') })]
    const input = { LeadID: await newLead(), CompanyID: first.CompanyID, ContactID: await newContact({ CompanyID: second.CompanyID }) }
    for (const dryRun of [true, false]) await refused(crm.leads.convert(input, { dryRun }), 'conflict', { field: 'ContactID' })
    assert.equal((await crm.contacts.get({ ContactID: input.ContactID })).CompanyID, second.CompanyID)
    const { ContactID } = await crm.leads.convert({ ...input, ContactID: await newContact({}) })
    assert.equal((await crm.contacts.get({ ContactID })).CompanyID, first.CompanyID)
  }),

  behaviour('a conversion is undone as one step, or not at all', async (context) => {
    const { crm, lacks, refused } = context
    const { LeadID, Status } = await crm.leads.create({ ...ADA, Email: email(context), Company: 'Analytical Engines' })
    const { CompanyID, ContactID } = await crm.leads.convert({ LeadID })
    const { ChangeID, GroupID } = await lastChange(context, LeadID)
    const made = async () => [await crm.companies.get({ CompanyID }), await crm.contacts.get({ ContactID })]
    if (lacks('restore')) {
      const before = await made()
      const lines = [ChangeID, GroupID as string, (await lastChange(context, CompanyID)).ChangeID]
      for (const line of lines) for (const dryRun of [true, false]) await refused(crm.changes.undo({ ChangeID: line }, { dryRun }), 'unsupported')
      return assert.deepEqual(await made(), before)
    }
    await crm.changes.undo({ ChangeID: GroupID as string })
    await refused(crm.companies.get({ CompanyID }), 'not_found')
    await refused(crm.contacts.get({ ContactID }), 'not_found')
    assert.equal((await crm.leads.get({ LeadID })).Status, Status)
  }),
])
