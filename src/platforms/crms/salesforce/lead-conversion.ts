import type { Conversion, Converted, ForeseenConversion } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import { placeOf, toOurWord } from '../engine/translation.ts'
import type { AccountTables } from './account-tables.ts'
import type { Api, Row } from './api.ts'
import type { SalesforcePlace } from './codec.ts'
import { type ConvertedLeads, IS_CONVERTED } from './converted-leads.ts'
import { driverError } from './errors.ts'
import { isId } from './ids.ts'
import { soapFault, textIn, xml } from './metadata.ts'
import { bodyOf } from './records.ts'
import type { SendSoap } from './soap.ts'
import { quoted } from './soql.ts'

export interface ConversionParts {
  readonly api: Api
  readonly soap: SendSoap
  readonly account: AccountTables
  readonly converted: ConvertedLeads
  /** Whether what the account's rules take for a duplicate is written all the same. */
  readonly duplicates: boolean
}

const COLUMNS = ['Id', 'FirstName', 'LastName', 'Company', IS_CONVERTED, 'ConvertedAccountId', 'ConvertedContactId', 'ConvertedOpportunityId']

/** Converts leads as Salesforce itself does: in one step, with all that an admin has set up for it. */
export function createConversion({ api, soap, account, converted, duplicates }: ConversionParts) {
  async function leadOf(id: string): Promise<Row> {
    const [lead] = isId(id) ? await api.everything(`SELECT ${COLUMNS.join(', ')} FROM Lead WHERE Id = ${quoted(id)}`) : []
    if (lead) return lead
    throw new DriverError('not_found', 'There is no such lead in Salesforce.')
  }

  /** The status that converted leads get: the first that stands for it. */
  async function convertedStatus(): Promise<string> {
    const [first] = await converted.statuses()
    if (first !== undefined) return first
    throw new DriverError('platform_rejected', 'The account has no lead status that stands for converted leads.', {
      hint: 'An admin can tick “Converted” on a value of Lead Status in Salesforce.',
    })
  }

  /** The company, and whether a contact that is given has to join it first: Salesforce takes a contact with its company only. */
  async function companyFor({ companyId, contactId }: Conversion): Promise<{ readonly companyId?: string | undefined; readonly joins?: boolean }> {
    if (contactId === undefined) return { companyId }
    const [contact] = isId(contactId) ? await api.everything(`SELECT Id, AccountId FROM Contact WHERE Id = ${quoted(contactId)}`) : []
    if (typeof contact?.AccountId === 'string') return { companyId: companyId ?? contact.AccountId }
    if (companyId !== undefined) return { companyId, joins: contact !== undefined }
    throw new DriverError('platform_rejected', 'Salesforce makes a lead into a contact that has a company, and this contact has none.', {
      hint: 'Give the contact a company first, or convert the lead without ContactID.',
    })
  }

  async function send(request: string): Promise<Converted> {
    return soap('u', (token) => envelope(token, request, duplicates), resultIn)
  }

  /** Sends it; where the answer is lost, the lead says whether it was converted. It is sent again only where the attempt has ended without effect. */
  async function carriedOut(leadId: string, request: string): Promise<Converted> {
    try {
      return await send(request)
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'outcome_unknown') throw error
      const lead = await leadOf(leadId)
      if (lead[IS_CONVERTED] === true) return idsIn(lead)
      if (error.unknown !== 'ended') throw error
      return send(request)
    }
  }

  /** Puts a contact into the company meanwhile, and takes it out again where the conversion is refused. */
  async function joining<T>(contactId: string, companyId: string | undefined, work: () => Promise<T>): Promise<T> {
    const join = (AccountId: string | null) => api.send({ method: 'PATCH', path: `/sobjects/Contact/${contactId}`, reads: true, body: { AccountId } })
    await join(companyId ?? null)
    return work().catch(async (error: unknown) => {
      if (error instanceof DriverError && error.code !== 'outcome_unknown') await join(null)
      throw error
    })
  }

  /** All checks come before the first write. */
  async function checked(conversion: Conversion) {
    await account.current()
    const { leadId, isRetried } = conversion
    const [lead, word, { companyId, joins = false }] = await Promise.all([leadOf(leadId), convertedStatus(), companyFor(conversion)])
    const isDone = lead[IS_CONVERTED] === true
    if (isDone && !isRetried) {
      converted.note([lead])
      throw new DriverError('conflict', 'This lead was converted already.')
    }
    return { lead, word, companyId, joins, isDone }
  }

  async function foreseeConversion(conversion: Conversion): Promise<ForeseenConversion> {
    const { word, companyId } = await checked(conversion)
    const place = account.tables.Lead && placeOf(account.tables.Lead, 'Status')
    return {
      used: { ...(companyId !== undefined && { companyId }), ...(conversion.contactId !== undefined && { contactId: conversion.contactId }) },
      lead: place ? { Status: toOurWord(place, word) } : {},
    }
  }

  async function convertLead(conversion: Conversion): Promise<Converted> {
    const { leadId, contactId, opportunity } = conversion
    const { lead, word, companyId, joins, isDone } = await checked(conversion)
    const table = account.tables.Opportunity
    const { CompanyID: _company, ContactID: _contact, ...fields } = opportunity ?? {}
    const { Name, ...rest } = opportunity && table ? bodyOf(table, fields) : ({} as Record<string, unknown>)
    const members = [
      ['accountId', companyId],
      ['contactId', contactId],
      ['convertedStatus', word],
      ['doNotCreateOpportunity', String(opportunity === undefined)],
      ['leadId', leadId],
      ['opportunityName', Name],
      ['overwriteLeadSource', 'false'],
      ['sendNotificationEmail', 'false'],
    ] as const
    const request = members.flatMap(([name, value]) => (value === undefined ? [] : [`<${name}>${xml(String(value))}</${name}>`])).join('')
    const send = () => carriedOut(leadId, request)
    const made = isDone ? idsIn(lead) : contactId !== undefined && joins ? await joining(contactId, companyId, send) : await send()
    converted.note([{ ...lead, [IS_CONVERTED]: true }])
    // Salesforce itself names the company and fills in the opportunity; what differs is written after it. Both can be sent twice.
    const own = companyId === undefined ? nameFor(lead) : undefined
    if (own !== undefined) await api.send({ method: 'PATCH', path: `/sobjects/Account/${made.companyId}`, reads: true, body: { Name: own } })
    if (made.opportunityId !== undefined && Object.keys(rest).length > 0)
      await api.send({ method: 'PATCH', path: `/sobjects/Opportunity/${made.opportunityId}`, reads: true, body: rest })
    return made
  }

  return { convertLead, foreseeConversion }

  /** A lead without a company is one of its own; undefined where it has one. */
  function nameFor({ Company, FirstName, LastName }: Row): string | undefined {
    const place: SalesforcePlace | undefined = account.tables.Lead && placeOf(account.tables.Lead, 'Company')
    if (place?.placeholder === undefined || String(Company).toLowerCase() !== place.placeholder.toLowerCase()) return undefined
    return [FirstName, LastName].filter((part) => part != null).join(' ')
  }
}

const idsIn = ({ ConvertedAccountId, ConvertedContactId, ConvertedOpportunityId }: Row): Converted => ({
  companyId: String(ConvertedAccountId),
  contactId: String(ConvertedContactId),
  ...(typeof ConvertedOpportunityId === 'string' && { opportunityId: ConvertedOpportunityId }),
})

const envelope = (token: string, members: string, duplicates: boolean) =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:partner.soap.sforce.com">',
    `<soapenv:Header><SessionHeader><sessionId>${xml(token)}</sessionId></SessionHeader>`,
    duplicates ? '<DuplicateRuleHeader><allowSave>true</allowSave></DuplicateRuleHeader>' : '',
    `</soapenv:Header><soapenv:Body><convertLead><leadConverts>${members}</leadConverts></convertLead></soapenv:Body></soapenv:Envelope>`,
  ].join('')

/** What a conversion has made. */
function resultIn(body: string): Converted {
  const fault = soapFault(body)
  if (fault) throw driverError([{ errorCode: fault.code, message: fault.message }], 400)
  const success = textIn(body, 'success')
  if (success === 'false') throw driverError([{ errorCode: textIn(body, 'statusCode') ?? '', message: textIn(body, 'message') ?? '' }], 400)
  const [companyId, contactId, opportunityId] = ['accountId', 'contactId', 'opportunityId'].map((name) => textIn(body, name))
  if (success !== 'true' || !companyId || !contactId)
    throw new DriverError('outcome_unknown', 'Salesforce did not say whether the lead was converted.', { unknown: 'ended' })
  return { companyId, contactId, ...(opportunityId && { opportunityId }) }
}
