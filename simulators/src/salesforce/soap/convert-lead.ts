import { isDeleted, wrongField } from '../errors.ts'
import { listed, type Metadata } from '../objects/definitions.ts'
import { CONVERTED_STATUS, type Org } from '../org.ts'
import { readId } from '../records/ids.ts'
import { create, type Session } from '../records/records.ts'
import type { Row } from '../records/table.ts'
import { eachResult } from './results.ts'

/** The fields of an account and of a contact, by those of the lead that they are made of. */
const ACCOUNT: { readonly [field: string]: string } = {
  Company: 'Name',
  Phone: 'Phone',
  Fax: 'Fax',
  Website: 'Website',
  Industry: 'Industry',
  AnnualRevenue: 'AnnualRevenue',
  NumberOfEmployees: 'NumberOfEmployees',
  LeadSource: 'AccountSource',
  Street: 'BillingStreet',
  City: 'BillingCity',
  State: 'BillingState',
  PostalCode: 'BillingPostalCode',
  Country: 'BillingCountry',
}
const CONTACT: typeof ACCOUNT = {
  FirstName: 'FirstName',
  LastName: 'LastName',
  Salutation: 'Salutation',
  Email: 'Email',
  Phone: 'Phone',
  MobilePhone: 'MobilePhone',
  Fax: 'Fax',
  Title: 'Title',
  LeadSource: 'LeadSource',
  Description: 'Description',
  HasOptedOutOfEmail: 'HasOptedOutOfEmail',
  Street: 'MailingStreet',
  City: 'MailingCity',
  State: 'MailingState',
  PostalCode: 'MailingPostalCode',
  Country: 'MailingCountry',
}

const taken = (lead: Row, fields: typeof ACCOUNT) =>
  Object.fromEntries(Object.entries(fields).flatMap(([from, to]) => (lead[from] === undefined ? [] : [[to, lead[from]]])))

/** Makes accounts, contacts and opportunities of leads, each of which succeeds or fails by itself. */
export function convertLeads(org: Org, userId: string, given: unknown): object[] {
  return eachResult(
    org,
    listed(given) as Metadata[],
    (one) => converted(org, { userId, version: '' }, one),
    ({ leadId }) => ({ leadId }),
  )
}

function converted(org: Org, session: Session, given: Metadata): object {
  const text = (name: string) => (typeof given[name] === 'string' && given[name] !== '' ? given[name] : undefined)
  const leads = org.table(org.objectAt('Lead'))
  const lead = leads.rows.get(readId(text('leadId') ?? '') ?? '')
  if (!lead) throw wrongField('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id')
  if (lead.IsDeleted) throw isDeleted()
  if (lead.IsConverted) throw wrongField('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead')
  if (text('convertedStatus') !== CONVERTED_STATUS) throw wrongField('INVALID_STATUS', `invalid convertedStatus: ${text('convertedStatus') ?? ''}`)
  const OwnerId = text('ownerId') ?? lead.OwnerId
  if (text('contactId') !== undefined && text('accountId') === undefined) throw wrongField('REQUIRED_FIELD_MISSING', 'accountId is required with contactId')
  if (text('contactId') !== undefined && org.row(text('contactId') ?? '')?.AccountId !== text('accountId'))
    throw wrongField('INVALID_CROSS_REFERENCE_KEY', 'the contact does not belong to the account')
  const accountId = text('accountId') ?? create(org, session, org.objectAt('Account'), { ...taken(lead, ACCOUNT), OwnerId })
  const contactId = text('contactId') ?? create(org, session, org.objectAt('Contact'), { ...taken(lead, CONTACT), AccountId: accountId, OwnerId })
  const opportunity = {
    Name: text('opportunityName') ?? lead.Company,
    StageName: 'Prospecting',
    CloseDate: org.now().slice(0, 10),
    AccountId: accountId,
    ContactId: contactId,
    ...(lead.LeadSource !== undefined && { LeadSource: lead.LeadSource }),
    OwnerId,
  }
  const opportunityId = text('doNotCreateOpportunity') === 'true' ? null : create(org, session, org.objectAt('Opportunity'), opportunity)
  leads.put({
    ...lead,
    ...org.stamps(session.userId),
    Status: CONVERTED_STATUS,
    IsConverted: true,
    ConvertedDate: org.now().slice(0, 10),
    ConvertedAccountId: accountId,
    ConvertedContactId: contactId,
    ...(opportunityId !== null && { ConvertedOpportunityId: opportunityId }),
  })
  return { accountId, contactId, leadId: lead.Id, opportunityId }
}
