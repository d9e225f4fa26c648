import assert from 'node:assert/strict'
import { OPERATIONS } from '../contract/operations.ts'
import { behaviour, type Context, theme } from './behaviour.ts'
import { ADA, BOAT, engine, JAM } from './records.ts'

type Answer = { readonly [member: string]: unknown }

const SPELLINGS: { readonly [spelling: string]: (name: string) => string } = {
  'its id': (name) => name.toLowerCase().replaceAll(' ', '_'),
  'its name': (name) => name,
  'kebab-case': (name) => name.toLowerCase().replaceAll(' ', '-'),
  'capitals with underscores': (name) => name.toUpperCase().replaceAll(' ', '_'),
}

/** Every operation of the source document once, from create to delete. */
async function life(context: Context, spell: (name: string) => string): Promise<void> {
  const { crm } = await context.as({ role: 'manager' })
  const called: string[] = []
  const call = (name: string, input: unknown) => {
    called.push(name)
    return crm.call(spell(name), input) as Promise<Answer>
  }

  const { CampaignID } = await call('Create Campaign', { CampaignName: context.unique('Fair') })
  const { LeadID } = await call('Create A Lead', ADA)
  assert.equal((await call('Add Notes To Leads', { LeadID, Note: 'Rings back.' })).Note, 'Rings back.')
  assert.equal((await call('Add Leads to Campaign', { LeadID, CampaignID })).CampaignID, CampaignID)
  assert.equal((await call('Update Lead', { LeadID, FieldsToUpdate: { FirstName: 'Augusta' } })).FirstName, 'Augusta')
  assert.equal((await call('Get Leads', { LeadID })).NotesTotal, 1)
  assert.equal(((await call('Get Many Leads', {})).Records as Answer[]).length, 1)
  assert.equal((await call('Get Summary Of Leads', {})).Total, 1)
  assert.deepEqual(await call('Remove Leads From Campaign', { LeadID, CampaignID }), { LeadID, CampaignID, Deleted: true })
  assert.deepEqual(await call('Delete Lead', { LeadID }), { LeadID, Deleted: true })

  const { OpportunityID } = await call('Create Opportunity', engine(context))
  assert.equal((await call('Add Notes to Opportunity', { OpportunityID, Note: 'On Monday.' })).OpportunityID, OpportunityID)
  assert.equal((await call('Update Opportunity', { OpportunityID, FieldsToUpdate: { Amount: 3 } })).Amount, 3)
  assert.equal((await call('Get Opportunity', { OpportunityID })).NotesTotal, 1)
  assert.equal(((await call('Get Many Opportunities', {})).Records as Answer[]).length, 1)
  assert.equal((await call('Get Summary Opportunity', {})).TotalAmount, 3)
  assert.deepEqual(await call('Opportunity Delete', { OpportunityID }), { OpportunityID, Deleted: true })

  const { CaseID } = await call('Create Case', JAM)
  assert.equal((await call('Add Comment', { CaseID, Comment: 'On its way.' })).CaseID, CaseID)
  assert.equal((await call('Update Case', { CaseID, FieldsToUpdate: { Subject: 'Two jammed' } })).Subject, 'Two jammed')
  assert.equal((await call('Get Case', { CaseID })).CommentsTotal, 1)
  assert.equal(((await call('Get Many Cases', {})).Records as Answer[]).length, 1)
  assert.equal((await call('Case Get Summary', {})).Total, 1)
  assert.deepEqual(await call('Case Delete', { CaseID }), { CaseID, Deleted: true })

  const { ObjectID } = await call('Create Custom Object', { ObjectName: context.boats, Fields: BOAT })
  assert.deepEqual((await call('Update Custom Object', { ObjectID, FieldsToUpdate: { Harbour: 'Lübeck' } })).Values, { HullLength: 7.5, Harbour: 'Lübeck' })
  assert.equal((await call('Get Custom Object', { ObjectID })).ObjectID, ObjectID)
  assert.equal(((await call('Get Many Custom Objects', {})).Records as Answer[]).length, 1)
  assert.deepEqual(await call('Delete Custom Object', { ObjectID }), { ObjectID, Deleted: true })

  const missed = OPERATIONS.filter(({ name, extension }) => !extension && !(called as string[]).includes(name))
  assert.deepEqual(
    missed.map(({ name }) => name),
    [],
  )
}

export const names = theme('names', [
  ...Object.entries(SPELLINGS).map(([spelling, spell]) => behaviour(`all 27 operations answer to ${spelling}`, (context) => life(context, spell))),

  ...Object.entries(SPELLINGS).map(([spelling, spell]) =>
    behaviour(`every extension answers to ${spelling}`, async ({ crm, refused }) => {
      for (const { name } of OPERATIONS.filter(({ extension }) => extension))
        await refused(crm.call(spell(name), { Nonsense: 1 }), 'invalid_input', { field: 'Nonsense' })
    }),
  ),

  behaviour('the client has a method for every operation, which does the same as its name', async ({ crm, as }) => {
    const groups = crm as unknown as { readonly [group: string]: { readonly [verb: string]: unknown } | undefined }
    for (const { method } of OPERATIONS) {
      const [group = '', verb] = method.split('.')
      assert.equal(typeof (verb === undefined ? groups[group] : groups[group]?.[verb]), 'function', method)
    }
    const { crm: mine } = await as()
    const { LeadID } = await mine.leads.create(ADA)
    assert.deepEqual(await mine.leads.get({ LeadID }), await mine.call('Get Leads', { LeadID }))
  }),

  behaviour('an unknown name is answered with the nearest ones', async ({ crm, refused }) => {
    const error = await refused(crm.call('Create A Leda', ADA), 'not_found', { code: 'unknown', didYouMean: 'create_a_lead' })
    assert.match(error.hint ?? '', /create_a_lead.*,.*,/)
  }),

  behaviour('names every object has are no operations', async ({ crm, refused }) => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', ' ', 'leads.create']) await refused(crm.call(name, {}), 'not_found')
  }),
])
