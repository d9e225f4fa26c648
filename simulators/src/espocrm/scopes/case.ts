import { AUDIT, AUDIT_LINKS, builtIn, NAME, OWNER, OWNER_LINKS } from './common.ts'
import type { Scope } from './definition.ts'

const { createdAt, modifiedAt, createdBy, modifiedBy } = AUDIT

export const supportCase: Scope = builtIn({
  name: 'Case',
  stream: true,
  statusField: 'status',
  collection: { orderBy: 'number', order: 'desc', textFilterFields: ['name', 'number'] },
  primary: { one: 'contact', many: 'contacts' },
  fields: {
    name: NAME,
    number: { type: 'autoincrement', index: true },
    status: {
      type: 'enum',
      options: ['New', 'Assigned', 'Pending', 'Closed', 'Rejected', 'Duplicate'],
      default: 'New',
      style: { Closed: 'success', Duplicate: 'danger', Rejected: 'danger' },
      audited: true,
    },
    priority: { type: 'enum', options: ['Low', 'Normal', 'High', 'Urgent'], default: 'Normal', audited: true },
    type: { type: 'enum', options: ['', 'Question', 'Incident', 'Problem'], audited: true },
    description: { type: 'text' },
    createdAt,
    modifiedAt,
    account: { type: 'link' },
    lead: { type: 'link' },
    contact: { type: 'link' },
    contacts: { type: 'linkMultiple' },
    inboundEmail: { type: 'link', readOnly: true },
    createdBy,
    modifiedBy,
    ...OWNER,
    attachments: { type: 'attachmentMultiple' },
  },
  links: {
    ...AUDIT_LINKS,
    ...OWNER_LINKS,
    account: { type: 'belongsTo', entity: 'Account', foreign: 'cases' },
    lead: { type: 'belongsTo', entity: 'Lead', foreign: 'cases' },
    contact: { type: 'belongsTo', entity: 'Contact', foreign: 'casesPrimary' },
    contacts: { type: 'hasMany', entity: 'Contact', foreign: 'cases' },
    inboundEmail: { type: 'belongsTo', entity: 'InboundEmail' },
  },
})
