/** Creates a lead, updates it, and handles the two errors that every program should expect. */
import assert from 'node:assert/strict'
import { CrmError, connect } from 'crm-connector'

const crm = connect({ baseUrl: process.env.CRM_URL ?? 'http://127.0.0.1:8484', key: process.env.CRM_KEY ?? '' })

const lead = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' })
await crm.leads.addNote({ LeadID: lead.LeadID, Note: 'Asked for a quote by Friday.' })

// Only the fields that are named change, and only if the lead has not changed since it was read.
const contacted = await crm.leads.update({ LeadID: lead.LeadID, FieldsToUpdate: { Status: 'Contacted' }, IfRevision: lead.Revision })
assert.deepEqual(contacted.UpdatedFields, ['Status'])

// A write with the old revision is refused, so that it overwrites no unseen change.
const late = await crm.leads.update({ LeadID: lead.LeadID, FieldsToUpdate: { Status: 'Lost' }, IfRevision: lead.Revision }).catch((error: unknown) => error)
assert(late instanceof CrmError && late.code === 'conflict')

// Invalid input is refused with all errors at once. The typed methods would not compile, so this calls the operation by name.
const wrong = await crm.call('create-a-lead', { FirstName: 'Ada', Emial: 'ada@example.com' }).catch((error: unknown) => error)
assert(wrong instanceof CrmError && wrong.code === 'invalid_input')
for (const { field, message, didYouMean } of wrong.errors ?? []) console.log(`${field}: ${message}`, didYouMean ? `Did you mean ${didYouMean}?` : '')

const { Status, Notes } = await crm.leads.get({ LeadID: lead.LeadID })
assert.equal(Status, 'Contacted')
assert.equal(Notes[0]?.Note, 'Asked for a quote by Friday.')
console.log(`${lead.FirstName} ${lead.LastName} is ${Status}.`)
