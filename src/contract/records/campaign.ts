import { Type } from 'typebox'
import { field } from '../fields.ts'
import { datedPageOf, idInput, manyInput, operation } from '../operation.ts'
import { record } from '../record.ts'
import { withIncluded } from '../shapes.ts'
import { EXTERNAL_ID } from './shared-fields.ts'
import { User } from './user.ts'

/** A marketing campaign that leads are added to; the whole workspace shares it. */
export const Campaign = record({
  name: 'Campaign',
  plural: 'campaigns',
  id: 'CampaignID',
  summary: 'A marketing campaign that leads are added to; shared by the whole workspace.',
  names: ['CampaignName'],
  owned: true,
  revised: true,
  belongs: null,
  fields: {
    CampaignName: field.text({ label: 'Campaign name', required: true }),
    Status: field.choice({ label: 'Status', suggested: ['Planned', 'Active', 'Completed'], defaultValue: 'Planned' }),
  },
})

/** A lead in a campaign. Its id is made of both ids, so that a lead is never in a campaign twice. */
export const Membership = record({
  name: 'Membership',
  plural: 'memberships',
  id: 'MembershipID',
  summary: 'A lead in a campaign.',
  owned: false,
  revised: false,
  internalId: true,
  childOf: { types: ['Lead'], field: 'LeadID' },
  indexed: ['LeadID', 'CampaignID'],
  fields: {
    LeadID: field.id({ label: 'Lead', required: true, access: 'create', refers: 'Lead' }),
    CampaignID: field.id({ label: 'Campaign', required: true, access: 'create', refers: 'Campaign' }),
    Status: field.choice({ label: 'Status', suggested: ['Sent', 'Responded'], access: 'create' }),
    ...EXTERNAL_ID,
  },
  sparse: ['ExternalID'],
})

export const createCampaign = operation({
  name: 'Create Campaign',
  method: 'campaigns.create',
  record: Campaign,
  verb: 'create',
  effect: 'create',
  summary: 'Stores a new campaign that leads can be added to.',
  input: Campaign.draft('CampaignName', 'Status'),
  output: Campaign.stored,
  example: { CampaignName: 'Spring fair', Status: 'Active' },
  extension: true,
})

export const getManyCampaigns = operation({
  name: 'Get Many Campaigns',
  method: 'campaigns.getMany',
  record: Campaign,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the campaigns that match, page by page, newest first.',
  input: manyInput(Campaign),
  output: datedPageOf(withIncluded(Campaign, { Owner: User })),
  example: { Filters: { Status: 'Active' } },
  extension: true,
})

export const removeLeadsFromCampaign = operation({
  name: 'Remove Leads From Campaign',
  method: 'leads.removeFromCampaign',
  record: Campaign,
  verb: 'unlink',
  effect: 'delete',
  summary: 'Removes a lead from a campaign.',
  input: Type.Object({ LeadID: idInput('lead'), CampaignID: idInput('campaign') }, { additionalProperties: false }),
  output: Type.Object({ LeadID: Type.String(), CampaignID: Type.String(), Deleted: Type.Literal(true) }),
  errors: ['not_found'],
  example: { LeadID: '0k6v2m8q4d9x1c7b5n3t', CampaignID: '0k6v2m8q4d9x1c7b5n3v' },
  extension: true,
})
