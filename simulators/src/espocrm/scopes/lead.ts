import { AUDIT, AUDIT_LINKS, address, builtIn, EMAIL, OWNER, OWNER_LINKS, PHONE, person, TARGET } from './common.ts'
import type { Scope } from './definition.ts'

export const SOURCES = ['', 'Call', 'Email', 'Existing Customer', 'Partner', 'Public Relations', 'Web Site', 'Campaign', 'Other']

export const lead: Scope = builtIn({
  name: 'Lead',
  stream: true,
  statusField: 'status',
  duplicateCheckFieldList: ['name', 'emailAddress'],
  collection: { orderBy: 'createdAt', order: 'desc', textFilterFields: ['name', 'accountName', 'emailAddress'] },
  linkSelect: { targetLists: ['isOptedOut'] },
  fields: {
    ...person(),
    title: { type: 'varchar', maxLength: 100, pattern: '$noBadCharacters' },
    status: {
      type: 'enum',
      options: ['New', 'Assigned', 'In Process', 'Converted', 'Recycled', 'Dead'],
      default: 'New',
      style: { 'In Process': 'primary', Converted: 'success', Recycled: 'danger', Dead: 'danger' },
      audited: true,
    },
    source: { type: 'enum', options: SOURCES },
    industry: { type: 'enum', optionsReference: 'Account.industry', isSorted: true },
    opportunityAmount: { type: 'currency', min: 0, audited: true },
    website: { type: 'url', strip: true },
    ...address('address'),
    emailAddress: EMAIL,
    phoneNumber: PHONE,
    doNotCall: { type: 'bool' },
    description: { type: 'text' },
    convertedAt: { type: 'datetime', readOnly: true },
    ...AUDIT,
    accountName: { type: 'varchar', pattern: '$noBadCharacters' },
    ...OWNER,
    campaign: { type: 'link' },
    createdAccount: { type: 'link' },
    createdContact: { type: 'link' },
    createdOpportunity: { type: 'link' },
    ...TARGET,
  },
  links: {
    ...AUDIT_LINKS,
    ...OWNER_LINKS,
    cases: { type: 'hasMany', entity: 'Case', foreign: 'lead' },
    campaign: { type: 'belongsTo', entity: 'Campaign', foreign: 'leads' },
    createdAccount: { type: 'belongsTo', entity: 'Account', foreign: 'originalLead' },
    createdContact: { type: 'belongsTo', entity: 'Contact', foreign: 'originalLead' },
    createdOpportunity: { type: 'belongsTo', entity: 'Opportunity', foreign: 'originalLead' },
    targetLists: { type: 'hasMany', entity: 'TargetList', foreign: 'leads' },
  },
})
