import { NOBODY } from '../../../contract/records/user.ts'
import type { Conversion, Converted, ForeseenConversion, StoredRecord } from '../../platform.ts'
import type { Created, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { type AccountProperties, choicesOf } from './account-properties.ts'
import type { Handler } from './handler.ts'
import type { Leads } from './leads.ts'
import type { Objects } from './objects.ts'

const STAGE = 'lifecyclestage'

interface Options {
  readonly tables: Tables
  readonly properties: AccountProperties
  readonly contacts: Objects
  /** Every contact, leads included. */
  readonly people: Handler
  /** Where leads are objects of their own. */
  readonly leads: Leads | undefined
  readonly handler: (type: string) => Handler
}

/**
 * The conversion of leads. A lead that is a contact becomes a contact of ours under the same id, by its lifecycle stage; of one that is an object of its own,
 * the contact it is about is the contact. Everything is made before the lead is changed, and archived where that fails.
 */
export class LeadConversion {
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  async convert({ leadId, companyId, contactId, opportunity, create = (type, record) => this.create(type, record) }: Conversion): Promise<Converted> {
    const [lead] = await this.options.handler('Lead').get([leadId])
    if (!lead) throw new DriverError('not_found', `There is no lead ${leadId}.`)
    const own = await this.contactOf(leadId)
    const made: { readonly type: string; readonly id: string }[] = []
    const make = async (type: string, record: StoredRecord) => {
      const id = await create(type, record)
      made.push({ type, id })
      return id
    }
    try {
      const [contact] = await this.options.people.get([contactId ?? own])
      const before = contact?.CompanyID as string | null | undefined
      const company = companyId ?? before ?? (await make('Company', this.companyOf(lead)))
      const deal = opportunity && { ...(lead.OwnerID !== NOBODY && { OwnerID: lead.OwnerID }), ...opportunity, CompanyID: company }
      const opportunityId = deal && (await make('Opportunity', { ...deal, ContactID: contactId ?? own }))
      // A contact that was there already stays with its company.
      if (before !== company && !(contactId && before)) await this.join(contactId ?? own, company, contact ?? {})
      const kept = await this.finish(lead, own, contactId, opportunityId !== undefined)
      return { companyId: company, contactId: kept, ...(opportunityId !== undefined && { opportunityId }) }
    } catch (error) {
      // Where the outcome of a step is not known, what was made stays: the conversion may have been executed.
      if (error instanceof DriverError && error.unknown === undefined) for (const { type, id } of made.reverse()) await this.options.handler(type).delete([id])
      throw error
    }
  }

  async foresee({ leadId, companyId, contactId }: Conversion): Promise<ForeseenConversion> {
    const { tables, people, leads } = this.options
    const own = contactId ?? (await this.contactOf(leadId))
    const [contact] = companyId === undefined ? await people.get([own]) : []
    const company = companyId ?? (contact?.CompanyID as string | null | undefined)
    return {
      used: { contactId: own, ...(company && { companyId: company }) },
      lead: leads ? (this.isQualified(tables.Lead as Table) ? { Status: QUALIFIED } : {}) : undefined,
    }
  }

  private isQualified({ fields }: Table): boolean {
    return Object.hasOwn(fields.Status?.values ?? {}, QUALIFIED)
  }

  /** The contact that a lead is, or is about. */
  private async contactOf(leadId: string): Promise<string> {
    if (!this.options.leads) return leadId
    const contact = await this.options.leads.contactOf(leadId)
    if (contact === undefined) throw new DriverError('platform_rejected', `The lead ${leadId} has no contact that it could become.`)
    return contact
  }

  private async create(type: string, record: StoredRecord): Promise<string> {
    const [answer] = await this.options.handler(type).create([record])
    return String((unlessFailed(answer as PerItem<Created>) as StoredRecord)[`${type}ID`])
  }

  /** The lead's company. What HubSpot does not take of a company is left out. */
  private companyOf(lead: StoredRecord): StoredRecord {
    const { fields } = this.options.tables.Company as Table
    const { Company: name, FirstName, LastName, OwnerID } = lead
    const taken = COMPANY.filter((field) => {
      const { closed, values = {} } = fields[field] ?? {}
      return fields[field] && lead[field] !== null && lead[field] !== undefined && !(closed && !Object.hasOwn(values, String(lead[field])))
    })
    return {
      ...Object.fromEntries(taken.map((field) => [field, lead[field] ?? null])),
      CompanyName: name || `${FirstName} ${LastName}`.trim(),
      ...(OwnerID !== NOBODY && { OwnerID: OwnerID ?? null }),
    }
  }

  /** Makes the lead a lead no more, and resolves to the contact that it is now. */
  private async finish(lead: StoredRecord, own: string, contactId: string | undefined, isSold: boolean): Promise<string> {
    const { tables, contacts, leads, handler } = this.options
    const id = String(lead.LeadID)
    if (leads) {
      const qualify = async () => unlessFailed((await handler('Lead').update([{ id, changes: { Status: QUALIFIED }, before: lead }]))[0])
      if (this.isQualified(tables.Lead as Table)) await certainly(qualify)
      return contactId ?? own
    }
    // Two contacts for one person are merged, as people do in HubSpot.
    if (contactId !== undefined && contactId !== own) return this.merge(contactId, own)
    const properties = { [STAGE]: await this.stage(isSold) }
    const row = await certainly(async () => unlessFailed((await contacts.update([{ id: own, properties }]))[0] as PerItem<object | false>))
    if (row === false) throw new DriverError('not_found', `There is no lead ${id}.`)
    return own
  }

  /** Where the answer is lost, it has been merged if the lead is no contact of its own any more. */
  private async merge(contactId: string, own: string): Promise<string> {
    const { contacts } = this.options
    return certainly(async (isResent) => {
      const [lead] = isResent ? await contacts.read([own], [STAGE]) : [{ id: own }]
      return lead?.id === own ? (await contacts.merge(contactId, own)).id : (lead?.id ?? contactId)
    })
  }

  /** The stage behind that of leads: HubSpot's own for what has been qualified, or is being sold to; where the account has others, the next one. */
  private async stage(isSold: boolean): Promise<string> {
    const { tables, properties } = this.options
    const wanted = isSold ? 'opportunity' : 'salesqualifiedlead'
    const property = (await properties.of('contacts'))?.find(({ name }) => name === STAGE)
    const stages = property ? choicesOf(property).map(({ id }) => id) : [wanted]
    const after = stages.indexOf(String(tables.Lead?.fixed?.[STAGE])) + 1
    return stages.includes(wanted) ? wanted : (stages[after] ?? wanted)
  }

  private async join(id: string, CompanyID: string, before: StoredRecord): Promise<void> {
    await certainly(async () => unlessFailed((await this.options.people.update([{ id, changes: { CompanyID }, before }]))[0]))
  }
}

/** The stage of leads that are objects of their own. */
const QUALIFIED = 'Qualified'

const COMPANY = ['Website', 'Phone', 'Industry', 'AnnualRevenue', 'Street', 'City', 'State', 'PostalCode', 'Country']

/** How often a step is sent whose answer is lost. */
const ATTEMPTS = 3

/** Sends a step that has the same effect when it is sent twice, until it is known to be done: half a conversion could not be told from a whole one later. */
async function certainly<T>(send: (isResent: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(attempt > 1)
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof DriverError) || error.code !== 'outcome_unknown') throw error
    }
  }
}

function unlessFailed<T>(answer: PerItem<T>): T {
  if (answer instanceof DriverError) throw answer
  return answer
}
