import { AUDIT, AUDIT_LINKS, builtIn, NAME, OWNER, OWNER_LINKS } from './common.ts'
import type { Field, Scope } from './definition.ts'

/** Counted when a campaign is read. */
const FIGURES = [
  'sentCount',
  'openedCount',
  'clickedCount',
  'optedInCount',
  'optedOutCount',
  'bouncedCount',
  'leadCreatedCount',
  'openedPercentage',
  'clickedPercentage',
  'optedOutPercentage',
  'bouncedPercentage',
]
const FIGURE: Field = { type: 'int', notStorable: true, readOnly: true }
const TEMPLATES = ['contactsTemplate', 'leadsTemplate', 'accountsTemplate', 'usersTemplate']

export const campaign: Scope = builtIn({
  name: 'Campaign',
  fields: {
    name: NAME,
    status: { type: 'enum', options: ['Planning', 'Active', 'Inactive', 'Complete'], default: 'Planning', style: { Active: 'primary', Complete: 'success' } },
    type: {
      type: 'enum',
      options: ['Email', 'Newsletter', 'Informational Email', 'Web', 'Television', 'Radio', 'Mail'],
      default: 'Email',
      maxLength: 64,
    },
    startDate: { type: 'date', before: 'endDate' },
    endDate: { type: 'date', after: 'startDate' },
    description: { type: 'text' },
    ...AUDIT,
    ...Object.fromEntries(FIGURES.map((name) => [name, FIGURE])),
    revenue: { type: 'currency', notStorable: true, readOnly: true },
    budget: { type: 'currency' },
    mailMergeOnlyWithAddress: { type: 'bool', default: true },
    ...OWNER,
    targetLists: { type: 'linkMultiple' },
    excludingTargetLists: { type: 'linkMultiple' },
    ...Object.fromEntries(TEMPLATES.map((name) => [name, { type: 'link' }])),
  },
  links: {
    ...AUDIT_LINKS,
    ...OWNER_LINKS,
    targetLists: { type: 'hasMany', entity: 'TargetList', foreign: 'campaigns' },
    excludingTargetLists: { type: 'hasMany', entity: 'TargetList', foreign: 'campaignsExcluding', relationName: 'campaignTargetListExcluding' },
    accounts: { type: 'hasMany', entity: 'Account', foreign: 'campaign' },
    contacts: { type: 'hasMany', entity: 'Contact', foreign: 'campaign' },
    leads: { type: 'hasMany', entity: 'Lead', foreign: 'campaign' },
    opportunities: { type: 'hasMany', entity: 'Opportunity', foreign: 'campaign' },
    ...Object.fromEntries(TEMPLATES.map((name) => [name, { type: 'belongsTo' as const, entity: 'Template', noJoin: true }])),
  },
})

const MEMBERS = { accounts: 'Account', contacts: 'Contact', leads: 'Lead', users: 'User' }

export const targetList: Scope = builtIn({
  name: 'TargetList',
  labels: { singular: 'Target List', plural: 'Target Lists' },
  linkSelect: Object.fromEntries(Object.keys(MEMBERS).map((link) => [link, ['targetListIsOptedOut']])),
  fields: {
    name: NAME,
    entryCount: FIGURE,
    optedOutCount: FIGURE,
    description: { type: 'text' },
    ...AUDIT,
    isOptedOut: { type: 'bool', notStorable: true, readOnly: true },
    ...OWNER,
    // As in EspoCRM's metadata, a link to many of type `link`: it is echoed once and never read again.
    campaigns: { type: 'link' },
  },
  links: {
    ...AUDIT_LINKS,
    ...OWNER_LINKS,
    campaigns: { type: 'hasMany', entity: 'Campaign', foreign: 'targetLists' },
    campaignsExcluding: { type: 'hasMany', entity: 'Campaign', foreign: 'excludingTargetLists', relationName: 'campaignTargetListExcluding' },
    ...Object.fromEntries(Object.entries(MEMBERS).map(([link, entity]) => [link, { type: 'hasMany' as const, entity, foreign: 'targetLists' }])),
  },
})
