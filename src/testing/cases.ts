import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, filledIn, JAM } from './records.ts'

export const cases = theme('cases', [
  behaviour('a new case answers with the whole record, and is stored as answered', async (context) => {
    const { as, values } = context
    const { crm, userId } = await as()
    const draft = { ...JAM, Status: values.openStatuses[1] }
    const made = await crm.cases.create(draft)

    const { CaseID, CreatedDate, UpdatedDate, Revision } = made
    assert.deepEqual(
      { ...made },
      { ...(await filledIn(context, 'create_case', draft, made)), ...draft, CaseID, OwnerID: userId, CreatedDate, UpdatedDate, Revision },
    )
    assert.deepEqual(await crm.cases.get({ CaseID }), { ...made, Comments: [], CommentsTotal: 0 })
    assert.deepEqual((await crm.cases.getMany({})).Records, [made])
  }),

  behaviour('a case is New by default, also when its status is null', async ({ crm }) => {
    assert.equal((await crm.cases.create(JAM)).Status, 'New')
    assert.equal((await crm.cases.create({ ...JAM, Status: null })).Status, 'New')
  }),

  behaviour('subject and description are required and must say something', async ({ crm, refused }) => {
    const error = await refused(crm.call('create_case', {}), 'invalid_input', { field: 'Subject', code: 'missing' })
    assert.deepEqual(error.errors?.map(({ field }) => field).sort(), ['Description', 'Subject'])
    await refused(crm.call('create_case', { ...JAM, Description: ' ' }), 'invalid_input', { field: 'Description' })
    await refused(crm.call('create_case', { ...JAM, Status: ' ' }), 'invalid_input', { field: 'Status' })
  }),

  behaviour('a case that does not exist is not found, nor is a lead taken for one', async ({ crm, refused }) => {
    const { LeadID } = await crm.leads.create(ADA)
    for (const CaseID of [LeadID, 'nothing']) await refused(crm.cases.get({ CaseID }), 'not_found')
  }),
])
