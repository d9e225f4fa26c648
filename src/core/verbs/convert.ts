import { CrmError, type Fault } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import { Company } from '../../contract/records/company.ts'
import { Contact } from '../../contract/records/contact.ts'
import { Lead } from '../../contract/records/lead.ts'
import { Opportunity } from '../../contract/records/opportunity.ts'
import type { Converted, StoredRecord, Writer } from '../../platforms/platform.ts'
import { allowTier, mayRead } from '../access/access.ts'
import { typeOn } from '../call/extension.ts'
import { idOf, newRecord, nextRevision, type RecordOf } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import { isOwn, visible } from './context.ts'
import { checkReferences } from './references.ts'
import { missingFields } from './required-values.ts'
import { lockUnique, refuseTaken } from './unique-values.ts'

/** The status of a lead that was converted. */
const CONVERTED = 'Converted'

/** Makes a company, a contact and, if asked, an opportunity of a lead: all of it or nothing, where the platform has transactions. */
export function convert(context: Context): Prepared {
  const { caller, input } = context
  const given = input as { readonly CompanyID?: string; readonly ContactID?: string; readonly Opportunity?: StoredRecord }
  const created = [...(given.CompanyID ? [] : [Company]), ...(given.ContactID ? [] : [Contact]), ...(given.Opportunity ? [Opportunity] : [])]
  // A key may allow the conversion itself, and with it what it makes.
  if (!caller.scopes.includes(`write:${context.operation.id}`)) for (const type of created) allowTier(caller, 'write', type as RecordType, 'Converting a lead')
  return {
    on: Lead,
    async work(writer) {
      const opportunity = onPlatform(context, Opportunity)
      await lockUnique(writer, opportunity, given.Opportunity ?? {})
      const lead = await visible(writer, context, Lead)
      // What an earlier attempt of this call has converted, whose outcome was unknown, is reported by the platform.
      const own = writer.convertLead !== undefined && (await isOwn(writer, Lead, 'updated', lead.LeadID))
      if (lead.Status === CONVERTED && !own) throw new CrmError('conflict', 'This lead was converted already.')
      await checkReferences(context, writer, Contact, { CompanyID: given.CompanyID ?? null })
      await checkReferences(context, writer, Opportunity, { ContactID: given.ContactID ?? null })
      await checkReferences(context, writer, opportunity, given.Opportunity ?? {}, 'Opportunity.')
      await refuseTaken(context, writer, opportunity, given.Opportunity ?? {}, undefined, 'Opportunity.')
      const contact = given.ContactID === undefined ? undefined : await writer.getForReference(Contact.name, given.ContactID)
      if (given.CompanyID && contact?.CompanyID && contact.CompanyID !== given.CompanyID) throw ofAnotherCompany()
      const found: Found = { lead, contact }
      const steps = writer.convertLead ? await natively(context, writer, found, given) : await oneByOne(context, writer, found, given)
      const { companyId, contactId, opportunityId = null } = steps.converted
      return {
        answer: { LeadID: lead.LeadID, CompanyID: companyId, ContactID: contactId, OpportunityID: opportunityId },
        change: steps.change,
        also: steps.also,
      }
    },
  }
}

type StoredLead = RecordOf<typeof Lead>
type Given = { readonly CompanyID?: string; readonly ContactID?: string; readonly Opportunity?: StoredRecord }

/** The records that there are before the conversion. */
interface Found {
  readonly lead: StoredLead
  readonly contact: StoredRecord | undefined
}

interface Steps {
  readonly converted: Converted
  readonly change: RecordChange
  readonly also: readonly RecordChange[]
}

/** A contact that has no company joins that of the conversion; one that has another cannot be meant. */
function ofAnotherCompany(): CrmError {
  const message = 'The contact belongs to another company.'
  return new CrmError('conflict', message, {
    errors: [{ field: 'ContactID', code: 'conflict', message, expected: 'a contact of the company, or of none' }],
    hint: 'Leave CompanyID out to use the company of the contact, or give the contact this company first.',
  })
}

async function natively(context: Context, writer: Writer, { lead, contact }: Found, { CompanyID, ContactID, Opportunity: opportunity }: Given): Promise<Steps> {
  const converted = (await writer.convertLead?.({ leadId: lead.LeadID, companyId: CompanyID, contactId: ContactID, opportunity })) as Converted
  const made: [RecordType, string | undefined][] = [
    [Company, CompanyID ? undefined : converted.companyId],
    [Contact, ContactID ? undefined : converted.contactId],
    [Opportunity, converted.opportunityId],
  ]
  const also: RecordChange[] = []
  for (const [type, id] of made) {
    const record = id === undefined ? undefined : await writer.getForReference(type.name, id)
    if (record) also.push(changeTo(onPlatform(context, type), 'created', null, record))
  }
  const joined = contact && !contact.CompanyID ? await writer.getForReference(Contact.name, ContactID as string) : undefined
  if (contact && joined?.CompanyID) also.push(changeTo(onPlatform(context, Contact), 'updated', contact, joined))
  const after = await writer.getForReference(Lead.name, lead.LeadID)
  const type = onPlatform(context, Lead)
  return { converted, change: after ? changeTo(type, 'updated', lead, after) : changeTo(type, 'deleted', lead, null), also }
}

async function oneByOne(context: Context, writer: Writer, { lead, contact }: Found, { CompanyID, ContactID, Opportunity: opportunity }: Given): Promise<Steps> {
  const also: RecordChange[] = []
  const joins = CompanyID ?? (contact?.CompanyID as string | null | undefined) ?? undefined
  refuseIncomplete(context, [
    ...(joins === undefined
      ? [{ type: Company, values: companyOf(lead), instead: 'Make the company with create_company first, and give its CompanyID.' }]
      : []),
    ...(ContactID ? [] : [{ type: Contact, values: contactOf(lead), instead: 'Make the contact with create_contact first, and give its ContactID.' }]),
  ])
  async function made(base: RecordType, values: StoredRecord): Promise<string> {
    const type = onPlatform(context, base)
    const fields = Object.fromEntries(Object.entries(values).filter(([name]) => type.fields[name]?.absent === undefined))
    const record = await writer.create(type.name, newRecord(type, writer.newId(), fields, lead.OwnerID))
    also.push(changeTo(type, 'created', null, record))
    return idOf(type, record)
  }
  const companyId = joins ?? (await made(Company, companyOf(lead)))
  const contactId = ContactID ?? (await made(Contact, { ...contactOf(lead), CompanyID: companyId }))
  if (contact && !contact.CompanyID) {
    const type = onPlatform(context, Contact)
    const joined = await writer.update(type.name, contactId, { CompanyID: companyId, ...nextRevision(contact, writer.now()) })
    also.push(changeTo(type, 'updated', contact, joined ?? contact))
  }
  const opportunityId = opportunity && (await made(Opportunity, { LeadSource: lead.LeadSource, ...opportunity, CompanyID: companyId, ContactID: contactId }))
  const after = await writer.update(Lead.name, lead.LeadID, { Status: CONVERTED, ...nextRevision(lead, writer.now()) })
  return { converted: { companyId, contactId, opportunityId }, change: changeTo(onPlatform(context, Lead), 'updated', lead, after ?? lead), also }
}

/**
 * What a conversion makes beside the lead, for the person who has to confirm it: the names of the company and the contact, for a caller who may read those of the
 * lead, and the opportunity as it was given. It has no id yet.
 */
export function madeOf({ caller, input }: Pick<Context, 'caller' | 'input'>, lead: StoredRecord, { CompanyID, ContactID }: Partial<StoredRecord>) {
  const from = mayRead(caller, Lead) ? (lead as StoredLead) : undefined
  const { Opportunity: opportunity } = input as Given
  return [
    ...(CompanyID === null ? [{ RecordType: Company.name, Values: from ? picked(companyOf(from), Company.names) : {} }] : []),
    ...(ContactID === null ? [{ RecordType: Contact.name, Values: from ? picked(contactOf(from), Contact.names) : {} }] : []),
    ...(opportunity ? [{ RecordType: Opportunity.name, Values: opportunity }] : []),
  ]
}

interface Planned {
  readonly type: RecordType
  readonly values: StoredRecord
  /** What to do where they are not enough. */
  readonly instead: string
}

/** Refuses before anything is written what the platform or the workspace requires of a new record and a lead has no value for. */
function refuseIncomplete(context: Context, planned: readonly Planned[]): void {
  const missing = planned.flatMap(({ type, values, instead }) => missingFields(onPlatform(context, type), values).map((name) => ({ type, name, instead })))
  const [first] = missing
  if (!first) return
  const faults = missing.map(
    ({ type, name }): Fault => ({
      field: `${type.name}.${name}`,
      code: 'missing',
      message: `A new ${type.name} needs ${name}, which a conversion has no value for.`,
    }),
  )
  throw new CrmError('invalid_input', `${context.operation.name}: ${faults[0]?.message}`, { errors: faults, hint: first.instead })
}

const onPlatform = ({ binding }: Context, type: RecordType) => typeOn(binding.platform, type)

const picked = (lead: StoredRecord, names: readonly string[]): StoredRecord => Object.fromEntries(names.map((name) => [name, lead[name] ?? null]))

const ADDRESS = ['Street', 'City', 'State', 'PostalCode', 'Country']

/** A lead without a company is one of its own. */
function companyOf(lead: StoredLead): StoredRecord {
  const own = `${lead.FirstName} ${lead.LastName}`.trim()
  return { ...picked(lead, ['Website', 'Phone', 'Industry', 'AnnualRevenue', 'Employees', ...ADDRESS]), CompanyName: lead.Company ?? own }
}

const contactOf = (lead: StoredLead): StoredRecord =>
  picked(lead, ['FirstName', 'LastName', 'Email', 'Phone', 'MobilePhone', 'Title', 'Description', ...ADDRESS])
