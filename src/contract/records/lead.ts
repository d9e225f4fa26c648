import { type Static, Type } from 'typebox'
import { field, nullable } from '../fields.ts'
import { asOf, datedPageOf, getInput, idInput, ifRevision, manyInput, operation } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed, removedWithReferences, textInput, upserted, withIncluded } from '../shapes.ts'
import { leadSummary, summaryInput } from '../summary.ts'
import { Membership } from './campaign.ts'
import { Note } from './note.ts'
import { Opportunity } from './opportunity.ts'
import { ADDRESS, BUSINESS, DESCRIPTION, EXTERNAL_ID, LEAD_SOURCE } from './shared-fields.ts'
import { User } from './user.ts'

/** A person who may become a customer. */
export const Lead = record({
  name: 'Lead',
  plural: 'leads',
  id: 'LeadID',
  summary: 'A person who may become a customer.',
  names: ['FirstName', 'LastName'],
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
    Status: field.choice({ label: 'Status', suggested: ['Open', 'Contacted', 'Qualified', 'Unqualified', 'Converted'], defaultValue: 'Open' }),
    Company: field.text({ label: 'Company', description: 'The name of the company the lead works for.' }),
    Title: field.text({ label: 'Title', description: 'The position in the company.' }),
    Salutation: field.choice({ label: 'Salutation', suggested: ['Mr.', 'Ms.', 'Mrs.', 'Dr.', 'Prof.'] }),
    MobilePhone: field.phone({ label: 'Mobile phone' }),
    Website: field.text({ label: 'Website' }),
    ...ADDRESS,
    ...BUSINESS,
    ...LEAD_SOURCE,
    Rating: field.choice({ label: 'Rating', suggested: ['Hot', 'Warm', 'Cold'] }),
    ...DESCRIPTION,
    EmailOptOut: field.boolean({ label: 'E-mail opt-out', description: 'Wants no e-mail.', defaultValue: false }),
    ...EXTERNAL_ID,
  },
  indexed: ['FirstName', 'LastName', 'Email', 'Phone', 'Status', 'OwnerID', 'UpdatedDate', 'Revision'],
  sparse: ['Company', 'ExternalID'],
})

export const createALead = operation({
  name: 'Create A Lead',
  method: 'leads.create',
  record: Lead,
  verb: 'create',
  effect: 'create',
  summary: 'Stores a new lead and answers with the whole record.',
  input: Lead.draft(),
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
  input: getInput(Lead, 'lead'),
  output: detailed(withIncluded(Lead, { Owner: User }), {
    Notes: Type.Array(Note.stored),
    NotesTotal: Type.Integer(),
    Campaigns: Type.Array(Membership.stored),
    CampaignsTotal: Type.Integer(),
    ...asOf,
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
  output: datedPageOf(withIncluded(Lead, { Owner: User })),
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
  output: removedWithReferences('LeadID'),
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
  effect: 'update',
  summary: 'Makes a lead a member of a campaign; doing it twice changes nothing but the Status and the ExternalID, where given.',
  input: Type.Object(
    {
      LeadID: idInput('lead'),
      CampaignID: idInput('campaign'),
      Status: Type.Optional(Type.Unsafe<string | null>(nullable(Membership.fields.Status.schema))),
      ExternalID: Type.Optional(Type.Unsafe<string | null>(nullable(Membership.fields.ExternalID.schema))),
    },
    { additionalProperties: false },
  ),
  output: Membership.stored,
  errors: ['not_found', 'conflict'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t', CampaignID: '0k6v2m8q4d9x1c7b5n3v' },
})

export const upsertLead = operation({
  name: 'Upsert Lead',
  method: 'leads.upsert',
  record: Lead,
  verb: 'upsert',
  effect: 'update',
  summary: 'Updates the lead that matches, or creates it where there is none, and answers with the whole record.',
  description: 'Calls at the same time leave one record. Where several match, it is refused with `conflict` and their ids.',
  input: Lead.upserted,
  output: upserted(Lead.stored),
  errors: ['not_found', 'conflict'],
  example: { Email: 'ada@example.com', Phone: '+44 20 7946 0958', FirstName: 'Ada', LastName: 'Lovelace', MatchBy: ['Email'] },
  extension: true,
})

/** The company and the contact are those of the conversion. */
const { CompanyID: _company, ContactID: _contact, ...ofOpportunity } = Opportunity.draft().properties
const opportunityDraft = Type.Object(ofOpportunity, { additionalProperties: false })

export const convertLead = operation({
  name: 'Convert Lead',
  method: 'leads.convert',
  record: Lead,
  nested: { Opportunity },
  verb: 'convert',
  effect: 'update',
  summary: 'Makes a company, a contact and, if asked, an opportunity of a lead, in one step.',
  description:
    'The company and the contact get the values of the lead, unless the ids of records that are there already are given. The lead stays, with the status Converted; on a CRM with a conversion of its own, it becomes what it becomes there. Undo takes all of it back, except on CRMs, which have no way back.',
  input: Type.Object(
    {
      LeadID: idInput('lead'),
      CompanyID: Type.Optional(Type.Unsafe<string | null>(nullable(idInput('company that it belongs to')))),
      ContactID: Type.Optional(Type.Unsafe<string | null>(nullable(idInput('contact that it is')))),
      Opportunity: Type.Optional(
        Type.Unsafe<Static<typeof opportunityDraft> | null>({
          ...opportunityDraft,
          type: ['object', 'null'],
          description: 'The fields of a new opportunity; none is made without.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    LeadID: Type.String(),
    CompanyID: Type.String(),
    ContactID: Type.String(),
    OpportunityID: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  }),
  errors: ['not_found', 'conflict'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t', Opportunity: { OpportunityName: 'Analytical engine', Stage: 'Prospecting', CloseDate: '2026-12-31' } },
  extension: true,
})
