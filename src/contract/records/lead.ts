import { Type } from 'typebox'
import { field } from '../fields.ts'
import { idInput, ifRevision, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed, removed, textInput } from '../shapes.ts'
import { leadSummary, summaryInput } from '../summary.ts'
import { Membership } from './campaign.ts'
import { Note } from './note.ts'

/** A person who may become a customer. */
export const Lead = record({
  name: 'Lead',
  plural: 'leads',
  id: 'LeadID',
  summary: 'A person who may become a customer.',
  owned: true,
  revised: true,
  state: 'Status',
  children: [
    { list: 'Notes', total: 'NotesTotal', type: 'Note' },
    { list: 'Campaigns', total: 'CampaignsTotal', type: 'Membership' },
  ],
  fields: {
    FirstName: field.text({ label: 'First name', required: true }),
    LastName: field.text({ label: 'Last name', required: true }),
    Email: field.email({ label: 'E-mail', description: 'One @ with text on both sides.' }),
    Phone: field.phone({ label: 'Phone' }),
    Status: field.choice({ label: 'Status', suggested: ['Open'], defaultValue: 'Open' }),
  },
})

export const createALead = operation({
  name: 'Create A Lead',
  method: 'leads.create',
  record: Lead,
  verb: 'create',
  effect: 'create',
  summary: 'Stores a new lead and answers with the whole record.',
  input: Lead.draft('FirstName', 'LastName', 'Email', 'Phone'),
  output: Lead.stored,
  example: { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958' },
})

export const getLeads = operation({
  name: 'Get Leads',
  method: 'leads.get',
  record: Lead,
  verb: 'get',
  effect: 'read',
  summary: 'Answers with one lead in detail: its fields, its newest notes and its campaigns.',
  input: Type.Object({ LeadID: idInput('lead') }, { additionalProperties: false }),
  output: detailed(Lead.stored, {
    Notes: Type.Array(Note.stored),
    NotesTotal: Type.Integer(),
    Campaigns: Type.Array(Membership.stored),
    CampaignsTotal: Type.Integer(),
  }),
  errors: ['not_found'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t' },
})

export const getManyLeads = operation({
  name: 'Get Many Leads',
  method: 'leads.getMany',
  record: Lead,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the leads that match, page by page, newest first.',
  input: manyInput(Lead),
  output: pageOf(Lead.stored),
  example: { Filters: { Status: 'Open', CreatedDate: { gte: '2026-01-01T00:00:00Z' } }, Limit: 50 },
})

export const getSummaryOfLeads = operation({
  name: 'Get Summary Of Leads',
  method: 'leads.getSummary',
  record: Lead,
  verb: 'getSummary',
  effect: 'read',
  summary: 'Answers with figures over the leads the caller may see: totals by status, owner and month, and the newest.',
  input: summaryInput(Lead.filters),
  output: leadSummary(Lead.stored),
  errors: ['not_found'],
  example: { Filters: { Status: 'Open' } },
})

export const updateLead = operation({
  name: 'Update Lead',
  method: 'leads.update',
  record: Lead,
  verb: 'update',
  effect: 'update',
  summary: 'Changes only the named fields of a lead and answers with the whole record.',
  input: Type.Object({ LeadID: idInput('lead'), FieldsToUpdate: Lead.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(Lead.stored),
  errors: ['not_found', 'conflict'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Status: 'Contacted', Phone: null } },
})

export const deleteLead = operation({
  name: 'Delete Lead',
  method: 'leads.delete',
  record: Lead,
  verb: 'delete',
  effect: 'delete',
  summary: 'Removes a lead with its notes and campaign memberships.',
  input: Type.Object({ LeadID: idInput('lead'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removed('LeadID'),
  errors: ['not_found', 'conflict'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t' },
})

export const addNotesToLeads = operation({
  name: 'Add Notes To Leads',
  method: 'leads.addNote',
  record: Lead,
  verb: 'attach',
  effect: 'create',
  summary: 'Adds a note to a lead.',
  input: Type.Object({ LeadID: idInput('lead'), Note: textInput(Note.fields.Note) }, { additionalProperties: false }),
  output: detailed(Note.stored, { LeadID: Type.String() }),
  errors: ['not_found'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t', Note: 'Asked for a quote by Friday.' },
})

export const addLeadsToCampaign = operation({
  name: 'Add Leads to Campaign',
  method: 'leads.addToCampaign',
  record: Lead,
  verb: 'link',
  effect: 'create',
  summary: 'Makes a lead a member of a campaign; doing it twice changes nothing.',
  input: Type.Object({ LeadID: idInput('lead'), CampaignID: idInput('campaign') }, { additionalProperties: false }),
  output: Membership.stored,
  errors: ['not_found'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t', CampaignID: '0k6v2m8q4d9x1c7b5n3v' },
})
