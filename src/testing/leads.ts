import assert from 'node:assert/strict'
import type { CrmError } from '../contract/errors.ts'
import { behaviour, theme } from './behaviour.ts'
import { ADA, ALAN, absentLead, email, filledIn, GRACE } from './records.ts'

/** Characters that count as blanks at the ends of a text are not only spaces. */
const SURROUNDING_WHITESPACE = /^[\0-\x20]+|[\0-\x20]+$/g

export const leads = theme('leads', [
  behaviour('a new lead answers with the whole record, and is stored as answered', async (context) => {
    const { crm, userId } = await context.as()
    const before = new Date(Date.now() - 60_000).toISOString()
    const lead = await crm.leads.create(ADA)

    assert.deepEqual(
      { ...lead },
      {
        ...(await filledIn(context, 'create_a_lead', ADA, lead)),
        ...ADA,
        LeadID: lead.LeadID,
        Status: 'Open',
        OwnerID: userId,
        CreatedDate: lead.CreatedDate,
        UpdatedDate: lead.UpdatedDate,
        Revision: lead.Revision,
      },
    )
    assert.ok(lead.CreatedDate > before && lead.UpdatedDate >= lead.CreatedDate)
    assert.ok(lead.Revision >= 1)
    assert.deepEqual(await crm.leads.get({ LeadID: lead.LeadID }), { ...lead, Notes: [], NotesTotal: 0, Campaigns: [], CampaignsTotal: 0 })
    assert.deepEqual((await crm.leads.getMany({})).Records, [lead])
  }),

  behaviour('optional inputs left out are null, and null counts as left out', async ({ crm }) => {
    const left = await crm.leads.create(ALAN)
    const nulls = await crm.leads.create({ ...ALAN, Email: null, Phone: null })
    for (const { Email, Phone, Status } of [left, nulls]) assert.deepEqual({ Email, Phone, Status }, { Email: null, Phone: null, Status: 'Open' })
  }),

  behaviour('ids are different and sort by time', async ({ crm, lacks }) => {
    const ids: string[] = []
    for (const draft of [ADA, GRACE, ALAN, ADA, GRACE, ALAN]) ids.push((await crm.leads.create(draft)).LeadID)
    assert.equal(new Set(ids).size, ids.length)
    if (!lacks('sorted ids')) assert.deepEqual(ids, ids.toSorted())
  }),

  behaviour('leads created concurrently are all stored', async ({ as }) => {
    const { crm } = await as()
    const made = await Promise.all(Array.from({ length: 20 }, (_, at) => crm.leads.create({ FirstName: `Twin ${at}`, LastName: 'Turing' })))
    const { Records } = await crm.leads.getMany({})
    assert.deepEqual(Records.map(({ FirstName }) => FirstName).sort(), made.map(({ FirstName }) => FirstName).sort())
  }),

  behaviour('text comes back to the letter', async ({ crm, lacks, refused }) => {
    const texts = [
      ' spaced ',
      "O'Brien; DROP TABLE leads;--",
      'line\nbreak\ttab',
      'zażółć gęślą',
      '東京',
      '👩🏽‍💻',
      'e\u0301 is not \u00e9',
      '\u202eright to left',
      '%_\\',
      '"quoted"',
      '{}',
      '\u0001\u001f\u007f',
    ]
    for (const text of texts) {
      const cut = (one: string | null) => (lacks('surrounding whitespace') ? one?.replace(SURROUNDING_WHITESPACE, '') : one)
      const { LeadID, ...made } = await crm.leads.create({ FirstName: text, LastName: text })
      const { FirstName, LastName } = await crm.leads.get({ LeadID })
      assert.deepEqual([FirstName, LastName].map(cut), [cut(text), cut(text)])
      assert.deepEqual([made.FirstName, made.LastName], [FirstName, LastName])
      const answer = await crm.leads.create({ ...ALAN, Phone: text }).catch((error: CrmError) => error)
      if (!(answer instanceof Error)) assert.equal(cut((await crm.leads.get({ LeadID: answer.LeadID })).Phone), cut(text))
      else if (lacks('any phone')) await refused(Promise.reject(answer), 'platform_rejected', { field: 'Phone' })
      else throw answer
    }
  }),

  behaviour('an e-mail address needs one @ with text on both sides', async (context) => {
    const { crm, refused } = context
    const ordinary = email(context).replace('@', '+x@')
    assert.equal((await crm.leads.create({ ...ALAN, Email: ordinary })).Email, ordinary)
    for (const Email of ['a@b', 'ü@ö.de']) {
      // A platform may be stricter than the contract, and then says so.
      const answer = await crm.leads.create({ ...ALAN, Email }).catch((error: CrmError) => error)
      if (answer instanceof Error) await refused(Promise.reject(answer), 'platform_rejected', { field: 'Email' })
      else assert.equal(answer.Email, Email)
    }
    for (const Email of ['ada', '@example.com', 'ada@', 'ada@home@work', '@', ''])
      await refused(crm.leads.create({ ...ALAN, Email }), 'invalid_input', { field: 'Email' })
    const { LeadID } = await crm.leads.create(ADA)
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Email: 'nowhere' } }), 'invalid_input', { field: 'FieldsToUpdate.Email' })
  }),

  behaviour('an e-mail address is answered and found as it is stored', async (context) => {
    const { crm } = await context.as()
    const given = email(context).replace('ada', 'Ada.King')
    const stored = context.lacks('capital addresses') ? given.toLowerCase() : given
    const { LeadID, Email } = await crm.leads.create({ ...ALAN, Email: given })
    assert.deepEqual([Email, (await crm.leads.get({ LeadID })).Email], [stored, stored])
    assert.equal((await crm.leads.getMany({ Filters: { Email: stored } })).Records.length, 1)
    const changed = await crm.leads.update({ LeadID, FieldsToUpdate: { Email: given.replace('King', 'Byron') } })
    assert.deepEqual(
      [changed.Email, (await crm.leads.get({ LeadID })).Email],
      Array(2).fill(stored.replace(/king/i, (name) => (name === 'King' ? 'Byron' : 'byron'))),
    )
  }),

  behaviour('both names are required and must say something', async ({ as, refused }) => {
    const { crm } = await as()
    const none = await refused(crm.call('create_a_lead', {}), 'invalid_input', { field: 'FirstName', code: 'missing' })
    assert.deepEqual(none.errors?.map(({ field }) => field).sort(), ['FirstName', 'LastName'])
    for (const blank of [null, '', '   ', '\n\t'])
      await refused(crm.call('create_a_lead', { FirstName: 'Ada', LastName: blank }), 'invalid_input', { field: 'LastName' })
    assert.equal((await crm.leads.getSummary({})).Total, 0)
  }),

  behaviour('what a create does not take is refused, not dropped', async ({ as, refused }) => {
    const { crm } = await as()
    await refused(crm.call('create_a_lead', { ...ALAN, Telex: '1' }), 'invalid_input', { field: 'Telex', code: 'unknown' })
    await refused(crm.call('create_a_lead', { ...ALAN, OwnerID: 'x' }), 'not_found', { field: 'OwnerID' })
    await refused(crm.call('create_a_lead', { ...ALAN, Revision: 5 }), 'invalid_input', { field: 'Revision' })
    await refused(crm.call('create_a_lead', { ...ALAN, Fistname: 'x' }), 'invalid_input', { field: 'Fistname', didYouMean: 'FirstName' })
    assert.deepEqual((await crm.leads.getMany({})).Records, [])
  }),

  behaviour('a lead that does not exist is not found', async (context) => {
    const gone = await absentLead(context)
    for (const LeadID of [gone, 'nothing', '0', "' OR 1=1 --", 'constructor']) await context.refused(context.crm.leads.get({ LeadID }), 'not_found')
    await context.refused(context.crm.call('get_leads', { LeadID: '' }), 'invalid_input', { field: 'LeadID' })
    await context.refused(context.crm.call('get_leads', { LeadID: 5 }), 'invalid_input', { field: 'LeadID', code: 'type' })
  }),
])
