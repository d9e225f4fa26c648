import { Type } from 'typebox'
import { field } from '../fields.ts'
import { asOf, datedPageOf, getInput, idInput, ifRevision, manyInput, operation } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed, removedWithReferences, textInput, upserted, withIncluded } from '../shapes.ts'
import { forecastInput, opportunitySummary, summaryInput } from '../summary.ts'
import { Campaign } from './campaign.ts'
import { Company } from './company.ts'
import { Contact } from './contact.ts'
import { Note } from './note.ts'
import { DESCRIPTION, EXTERNAL_ID, LEAD_SOURCE } from './shared-fields.ts'
import { User } from './user.ts'

/** In the order a deal goes through them. */
const STAGES = ['Prospecting', 'Qualification', 'Proposal', 'Negotiation', 'Closed Won', 'Closed Lost']

/** A deal that may be won. */
export const Opportunity = record({
  name: 'Opportunity',
  plural: 'opportunities',
  id: 'OpportunityID',
  summary: 'A deal that may be won.',
  names: ['OpportunityName'],
  owned: true,
  revised: true,
  state: 'Stage',
  amount: 'Amount',
  due: 'CloseDate',
  children: [{ list: 'Notes', total: 'NotesTotal', type: 'Note' }],
  fields: {
    OpportunityName: field.text({ label: 'Opportunity name', required: true }),
    Stage: field.choice({ label: 'Stage', suggested: STAGES, required: true }),
    CloseDate: field.date({ label: 'Close date', description: 'A day of the calendar, YYYY-MM-DD.', required: true }),
    Amount: field.money({ label: 'Amount', description: 'Money: up to 15 digits, at most 4 of them decimals.' }),
    CompanyID: field.id({ label: 'Company', refers: 'Company' }),
    ContactID: field.id({ label: 'Contact', refers: 'Contact' }),
    CampaignID: field.id({ label: 'Campaign', description: 'The campaign it came from.', refers: 'Campaign' }),
    Type: field.choice({ label: 'Type', suggested: ['New Business', 'Existing Business'] }),
    ...LEAD_SOURCE,
    NextStep: field.text({ label: 'Next step' }),
    Probability: field.integer({ label: 'Probability', description: 'In percent.', minimum: 0, maximum: 100 }),
    ...DESCRIPTION,
    ...EXTERNAL_ID,
  },
  indexed: ['OpportunityName', 'Stage', 'CloseDate', 'Amount', 'OwnerID', 'UpdatedDate', 'Revision'],
  sparse: ['CompanyID', 'ContactID', 'CampaignID', 'ExternalID'],
})

export const createOpportunity = operation({
  name: 'Create Opportunity',
  method: 'opportunities.create',
  record: Opportunity,
  verb: 'create',
  effect: 'create',
  summary: 'Stores a new opportunity and answers with the whole record.',
  input: Opportunity.draft(),
  output: Opportunity.stored,
  example: { OpportunityName: 'Analytical engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 1200.5 },
})

export const getOpportunity = operation({
  name: 'Get Opportunity',
  method: 'opportunities.get',
  record: Opportunity,
  verb: 'get',
  effect: 'read',
  summary: 'Answers with one opportunity in detail: its fields and its newest notes.',
  input: getInput(Opportunity, 'opportunity'),
  output: detailed(withIncluded(Opportunity, { Company, Contact, Campaign, Owner: User }), {
    Notes: Type.Array(Note.stored),
    NotesTotal: Type.Integer(),
    ...asOf,
  }),
  errors: ['not_found'],
  example: { OpportunityID: '0k6v2m8q4d9x1c7b5n3t' },
})

export const getManyOpportunities = operation({
  name: 'Get Many Opportunities',
  method: 'opportunities.getMany',
  record: Opportunity,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the opportunities that match, page by page, newest first.',
  input: manyInput(Opportunity),
  output: datedPageOf(withIncluded(Opportunity, { Company, Contact, Campaign, Owner: User })),
  example: { Filters: { Stage: { in: ['Prospecting', 'Negotiation'] }, Amount: { gte: 1000 } }, OrderBy: 'Amount desc' },
})

export const getSummaryOpportunity = operation({
  name: 'Get Summary Opportunity',
  method: 'opportunities.getSummary',
  record: Opportunity,
  verb: 'getSummary',
  effect: 'read',
  summary: 'Answers with figures over the opportunities the caller may see: amounts by stage, won and lost, overdue and closing soon.',
  input: summaryInput(Opportunity.filters, forecastInput),
  output: opportunitySummary(Opportunity.stored),
  errors: ['not_found'],
  example: { Filters: { CloseDate: { gte: '2026-01-01' } } },
})

export const updateOpportunity = operation({
  name: 'Update Opportunity',
  method: 'opportunities.update',
  record: Opportunity,
  verb: 'update',
  effect: 'update',
  summary: 'Changes only the named fields of an opportunity and answers with the whole record.',
  input: Type.Object({ OpportunityID: idInput('opportunity'), FieldsToUpdate: Opportunity.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(Opportunity.stored),
  errors: ['not_found', 'conflict'],
  example: { OpportunityID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Stage: 'Closed Won' } },
})

export const opportunityDelete = operation({
  name: 'Opportunity Delete',
  method: 'opportunities.delete',
  record: Opportunity,
  verb: 'delete',
  effect: 'delete',
  summary: 'Removes an opportunity with its notes.',
  input: Type.Object({ OpportunityID: idInput('opportunity'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removedWithReferences('OpportunityID'),
  errors: ['not_found', 'conflict'],
  example: { OpportunityID: '0k6v2m8q4d9x1c7b5n3t' },
})

export const addNotesToOpportunity = operation({
  name: 'Add Notes to Opportunity',
  method: 'opportunities.addNote',
  record: Opportunity,
  verb: 'attach',
  effect: 'create',
  summary: 'Adds a note to an opportunity.',
  input: Type.Object({ OpportunityID: idInput('opportunity'), Note: textInput(Note.fields.Note) }, { additionalProperties: false }),
  output: detailed(Note.stored, { OpportunityID: Type.String() }),
  errors: ['not_found'],
  example: { OpportunityID: '0k6v2m8q4d9x1c7b5n3t', Note: 'The board decides on Monday.' },
})

export const upsertOpportunity = operation({
  name: 'Upsert Opportunity',
  method: 'opportunities.upsert',
  record: Opportunity,
  verb: 'upsert',
  effect: 'update',
  summary: 'Updates the opportunity that matches, or creates it where there is none, and answers with the whole record.',
  description: 'Calls at the same time leave one record. Where several match, it is refused with `conflict` and their ids.',
  input: Opportunity.upserted,
  output: upserted(Opportunity.stored),
  errors: ['not_found', 'conflict'],
  example: { ExternalID: 'order-4711', OpportunityName: 'Analytical engine', Stage: 'Prospecting', CloseDate: '2026-12-31' },
  extension: true,
})
