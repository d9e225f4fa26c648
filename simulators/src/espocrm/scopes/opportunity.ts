import { AUDIT, AUDIT_LINKS, builtIn, NAME, OWNER, OWNER_LINKS } from './common.ts'
import type { Scope } from './definition.ts'

const { createdAt, modifiedAt, createdBy, modifiedBy } = AUDIT

export const opportunity: Scope = builtIn({
  name: 'Opportunity',
  labels: { singular: 'Opportunity', plural: 'Opportunities' },
  stream: true,
  statusField: 'stage',
  primary: { one: 'contact', many: 'contacts' },
  fields: {
    name: NAME,
    amount: { type: 'currency', required: true, min: 0, audited: true },
    amountWeightedConverted: { type: 'float', readOnly: true, notStorable: true },
    stage: {
      type: 'enum',
      options: ['Prospecting', 'Qualification', 'Proposal', 'Negotiation', 'Closed Won', 'Closed Lost'],
      default: 'Prospecting',
      audited: true,
      probabilityMap: { Prospecting: 10, Qualification: 20, Proposal: 50, Negotiation: 80, 'Closed Won': 100, 'Closed Lost': 0 },
      style: { Proposal: 'primary', Negotiation: 'warning', 'Closed Won': 'success', 'Closed Lost': 'danger' },
    },
    lastStage: { type: 'enum', optionsReference: 'Opportunity.stage' },
    probability: { type: 'int', min: 0, max: 100 },
    leadSource: { type: 'enum', optionsReference: 'Lead.source' },
    closeDate: { type: 'date', required: true, audited: true },
    description: { type: 'text' },
    createdAt,
    modifiedAt,
    account: { type: 'link' },
    contacts: { type: 'linkMultiple', columns: { role: 'opportunityRole' } },
    contact: { type: 'link' },
    campaign: { type: 'link' },
    originalLead: { type: 'linkOne', readOnly: true },
    createdBy,
    modifiedBy,
    ...OWNER,
  },
  links: {
    ...AUDIT_LINKS,
    ...OWNER_LINKS,
    account: { type: 'belongsTo', entity: 'Account', foreign: 'opportunities' },
    contacts: { type: 'hasMany', entity: 'Contact', foreign: 'opportunities' },
    contact: { type: 'belongsTo', entity: 'Contact', foreign: 'opportunitiesPrimary' },
    campaign: { type: 'belongsTo', entity: 'Campaign', foreign: 'opportunities' },
    originalLead: { type: 'hasOne', entity: 'Lead', foreign: 'createdOpportunity' },
  },
})
