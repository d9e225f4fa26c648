import type { Conversion, Converted, ForeseenConversion } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place } from '../engine/tables.ts'
import { toOurWord } from '../engine/translation.ts'
import type { Api, Row } from './api.ts'
import { ID } from './conditions.ts'
import type { Shape } from './shapes.ts'

/** What EspoCRM would fill the new records with, by its own mapping, which an account may have changed. */
type Proposed = { readonly [object: string]: Row | undefined }

/** Converts a lead by EspoCRM's own conversion, which also moves its activities over. */
export async function convertLead(
  api: Api,
  { leadId, companyId, contactId, opportunity, isRetried = false }: Conversion,
  { opportunities, checksDuplicates }: { readonly opportunities: Shape; readonly checksDuplicates: boolean },
): Promise<Converted> {
  if (!ID.test(leadId)) throw new DriverError('not_found', 'EspoCRM has no such lead.')
  const [proposed, lead, contact] = await Promise.all([
    api.post<Proposed>('Lead/action/getConvertAttributes', { id: leadId }, { reads: true }),
    api.read('Lead', leadId),
    contactId === undefined ? undefined : api.read('Contact', contactId),
  ])
  const company = companyId ?? textIn(contact?.accountId)
  const known = { company, contactId, isDeal: opportunity !== undefined }
  const joins = contactId !== undefined && textIn(contact?.accountId) === undefined
  // What an attempt whose answer was lost has done is not done again.
  if (isRetried && lead.status === CONVERTED) return joined(api, convertedTo(lead, known), joins)
  const records = {
    ...(company === undefined && { Account: { ...proposed.Account, name: textIn(proposed.Account?.name) ?? textIn(lead.accountName) ?? lead.name } }),
    ...(contactId === undefined && { Contact: { ...proposed.Contact, ...(company !== undefined && { accountId: company }) } }),
    ...(opportunity && {
      Opportunity: {
        ...withoutEmpty(proposed.Opportunity ?? {}),
        ...ownOf(opportunities.newRow(opportunity), opportunity.Amount ?? null, proposed.Opportunity),
        ...(company !== undefined && { accountId: company }),
        ...(contactId !== undefined && { contactId }),
      },
    }),
  }
  const made = await api.post('Lead/action/convert', { id: leadId, records, skipDuplicateCheck: !checksDuplicates })
  return joined(api, convertedTo(made, known), joins)
}

/** What a conversion would use, and what it would leave of the lead. */
export async function foreseeConversion(api: Api, { leadId, companyId, contactId }: Conversion, status: Place | null | undefined): Promise<ForeseenConversion> {
  if (!ID.test(leadId)) throw new DriverError('not_found', 'EspoCRM has no such lead.')
  const contact = contactId === undefined || companyId !== undefined ? undefined : await api.read('Contact', contactId)
  const company = companyId ?? textIn(contact?.accountId)
  return {
    used: { ...(company !== undefined && { companyId: company }), ...(contactId !== undefined && { contactId }) },
    lead: status ? { Status: toOurWord(status, CONVERTED) } : {},
  }
}

/** The status that EspoCRM gives to leads that were converted. */
const CONVERTED = 'Converted'

/** A contact that was there before and had no company joins it. It can be sent twice. */
async function joined(api: Api, converted: Converted, joins: boolean): Promise<Converted> {
  if (joins) await api.put('Contact', converted.contactId, { accountId: converted.companyId }, { reads: true })
  return converted
}

/** What a lead has become, by what it keeps of it and what was given. */
function convertedTo(
  lead: Row,
  { company, contactId, isDeal }: { readonly company: string | undefined; readonly contactId: string | undefined; readonly isDeal: boolean },
): Converted {
  const found = { companyId: company ?? textIn(lead.createdAccountId), contactId: contactId ?? textIn(lead.createdContactId) }
  const opportunityId = isDeal ? textIn(lead.createdOpportunityId) : undefined
  if (found.companyId === undefined || found.contactId === undefined || (isDeal && opportunityId === undefined))
    throw new DriverError('outcome_unknown', 'EspoCRM has converted the lead, but does not say into what.', { unknown: 'open' })
  return { companyId: found.companyId, contactId: found.contactId, ...(opportunityId !== undefined && { opportunityId }) }
}

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const withoutEmpty = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

/** The fields of the opportunity; the amount that the lead is worth stays unless another is given. */
function ownOf(row: Row, amount: unknown, proposed: Row | undefined): Row {
  if (amount !== null || proposed?.amount == null) return row
  const { amount: _, amountCurrency: __, ...rest } = row
  return rest
}
