import { isDeleted, Refusal, wrongField } from '../errors.ts'
import { listed, type Metadata } from '../objects/definitions.ts'
import type { Org } from '../org.ts'
import { readId } from '../records/ids.ts'
import { create, type Session } from '../records/records.ts'

const CONVERTED = 'Closed - Converted'

/** Makes accounts, contacts and opportunities of leads, each of which succeeds or fails by itself. */
export function convertLeads(org: Org, userId: string, given: unknown): object[] {
  return listed(given).map((one) => {
    try {
      return { ...org.atomically(() => converted(org, { userId, version: '' }, one as Metadata)), success: true }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { errorCode, message } = error.wrong
      return { errors: { message, statusCode: errorCode }, leadId: (one as Metadata).leadId, success: false }
    }
  })
}

function converted(org: Org, session: Session, given: Metadata): object {
  const text = (name: string) => (typeof given[name] === 'string' && given[name] !== '' ? given[name] : undefined)
  const leads = org.table(org.objectAt('Lead'))
  const lead = leads.rows.get(readId(text('leadId') ?? '') ?? '')
  if (!lead) throw wrongField('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id')
  if (lead.IsDeleted) throw isDeleted()
  if (lead.IsConverted) throw wrongField('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead')
  if (text('convertedStatus') !== CONVERTED) throw wrongField('INVALID_STATUS', `invalid convertedStatus: ${text('convertedStatus') ?? ''}`)
  const OwnerId = text('ownerId') ?? lead.OwnerId
  const accountId = text('accountId') ?? create(org, session, org.objectAt('Account'), { Name: lead.Company, OwnerId })
  const person = Object.fromEntries(['FirstName', 'LastName', 'Email', 'Phone'].flatMap((name) => (lead[name] === undefined ? [] : [[name, lead[name]]])))
  const contactId = text('contactId') ?? create(org, session, org.objectAt('Contact'), { ...person, AccountId: accountId, OwnerId })
  const opportunity = {
    Name: text('opportunityName') ?? lead.Company,
    StageName: 'Prospecting',
    CloseDate: org.now().slice(0, 10),
    AccountId: accountId,
    OwnerId,
  }
  const opportunityId = text('doNotCreateOpportunity') === 'true' ? null : create(org, session, org.objectAt('Opportunity'), opportunity)
  leads.put({
    ...lead,
    ...org.stamps(session.userId),
    Status: CONVERTED,
    IsConverted: true,
    ConvertedDate: org.now().slice(0, 10),
    ConvertedAccountId: accountId,
    ConvertedContactId: contactId,
    ...(opportunityId !== null && { ConvertedOpportunityId: opportunityId }),
  })
  return { accountId, contactId, leadId: lead.Id, opportunityId }
}
