import { AUDIT, AUDIT_LINKS, address, builtIn, EMAIL, NAME, OWNER, OWNER_LINKS, PHONE, person, TARGET } from './common.ts'
import type { Scope } from './definition.ts'

export const INDUSTRIES =
  '|Advertising|Aerospace|Agriculture|Apparel & Accessories|Architecture|Automotive|Banking|Biotechnology|Building Materials & Equipment|Chemical|Construction|Consulting|Computer|Culture|Creative|Defense|Education|Electronics|Electric Power|Energy|Entertainment & Leisure|Finance|Food & Beverage|Grocery|Healthcare|Hospitality|Insurance|Legal|Manufacturing|Mass Media|Marketing|Mining|Music|Publishing|Petroleum|Real Estate|Retail|Service|Sports|Software|Support|Shipping|Travel|Technology|Telecommunications|Television|Transportation|Testing, Inspection & Certification|Venture Capital|Wholesale|Water'.split(
    '|',
  )

export const account: Scope = builtIn({
  name: 'Account',
  stream: true,
  duplicateCheckFieldList: ['name', 'emailAddress'],
  collection: { orderBy: 'createdAt', order: 'desc', textFilterFields: ['name', 'emailAddress'] },
  linkSelect: { targetLists: ['isOptedOut'] },
  fields: {
    name: { ...NAME, maxLength: 249 },
    website: { type: 'url', strip: true },
    emailAddress: EMAIL,
    phoneNumber: { ...PHONE, typeList: ['Office', 'Mobile', 'Fax', 'Other'], defaultType: 'Office' },
    type: { type: 'enum', options: ['', 'Customer', 'Investor', 'Partner', 'Reseller'] },
    industry: { type: 'enum', options: INDUSTRIES, isSorted: true },
    sicCode: { type: 'varchar', maxLength: 40, pattern: '$noBadCharacters' },
    ...address('billingAddress'),
    ...address('shippingAddress'),
    description: { type: 'text' },
    ...AUDIT,
    campaign: { type: 'link' },
    ...OWNER,
    originalLead: { type: 'linkOne', readOnly: true },
    ...TARGET,
  },
  links: {
    ...AUDIT_LINKS,
    ...OWNER_LINKS,
    contacts: { type: 'hasMany', entity: 'Contact', foreign: 'accounts' },
    contactsPrimary: { type: 'hasMany', entity: 'Contact', foreign: 'account' },
    opportunities: { type: 'hasMany', entity: 'Opportunity', foreign: 'account' },
    cases: { type: 'hasMany', entity: 'Case', foreign: 'account' },
    campaign: { type: 'belongsTo', entity: 'Campaign', foreign: 'accounts' },
    targetLists: { type: 'hasMany', entity: 'TargetList', foreign: 'accounts' },
    originalLead: { type: 'hasOne', entity: 'Lead', foreign: 'createdAccount' },
  },
})

export const contact: Scope = builtIn({
  name: 'Contact',
  stream: true,
  duplicateCheckFieldList: ['name', 'emailAddress'],
  collection: { orderBy: 'createdAt', order: 'desc', textFilterFields: ['name', 'emailAddress'] },
  linkSelect: { targetLists: ['isOptedOut'] },
  primary: { one: 'account', many: 'accounts' },
  fields: {
    ...person({ type: 'varchar', maxLength: 100, required: true, pattern: '$noBadCharacters' }),
    title: { type: 'varchar', maxLength: 100, notStorable: true, role: true, textFilterDisabled: true },
    description: { type: 'text' },
    emailAddress: EMAIL,
    phoneNumber: PHONE,
    doNotCall: { type: 'bool' },
    ...address('address'),
    ...AUDIT,
    account: { type: 'link' },
    accounts: { type: 'linkMultiple', columns: { role: 'contactRole', isInactive: 'contactIsInactive' } },
    campaign: { type: 'link' },
    ...OWNER,
    originalLead: { type: 'linkOne', readOnly: true },
    ...TARGET,
  },
  links: {
    ...AUDIT_LINKS,
    ...OWNER_LINKS,
    account: { type: 'belongsTo', entity: 'Account', foreign: 'contactsPrimary' },
    accounts: { type: 'hasMany', entity: 'Account', foreign: 'contacts' },
    opportunities: { type: 'hasMany', entity: 'Opportunity', foreign: 'contacts' },
    opportunitiesPrimary: { type: 'hasMany', entity: 'Opportunity', foreign: 'contact' },
    cases: { type: 'hasMany', entity: 'Case', foreign: 'contacts' },
    casesPrimary: { type: 'hasMany', entity: 'Case', foreign: 'contact' },
    campaign: { type: 'belongsTo', entity: 'Campaign', foreign: 'contacts' },
    targetLists: { type: 'hasMany', entity: 'TargetList', foreign: 'contacts' },
    originalLead: { type: 'hasOne', entity: 'Lead', foreign: 'createdContact' },
  },
})
