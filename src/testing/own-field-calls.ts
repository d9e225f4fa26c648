import type { OwnKind } from '../contract/records/own-field.ts'
import type { Client, Context } from './behaviour.ts'
import { email } from './records.ts'

export type Answer = { readonly [field: string]: unknown }
export type Definition = { readonly Kind: OwnKind; readonly [name: string]: unknown }

/** Defines a field of leads under a name of its own, and answers with that name. */
export async function defined({ crm, unique }: Pick<Context, 'crm' | 'unique'>, definition: Definition, RecordType = 'Lead'): Promise<string> {
  const FieldName = unique('Own')
  await crm.call('define_field', { RecordType, FieldName, ...definition })
  return FieldName
}

export const lead = async (context: Pick<Context, 'crm' | 'unique'>, values: Answer = {}, crm: Client = context.crm) =>
  (await crm.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Email: email(context), ...values })) as Answer & { readonly LeadID: string }

export const get = async (crm: Client, LeadID: string) => (await crm.call('get_leads', { LeadID })) as Answer
export const update = async (crm: Client, LeadID: string, FieldsToUpdate: Answer) => (await crm.call('update_lead', { LeadID, FieldsToUpdate })) as Answer

export const found = async (crm: Client, input: Answer) =>
  ((await crm.call('get_many_leads', input)) as { readonly Records: readonly Answer[] }).Records.map(({ LeadID }) => LeadID as string)

export const describedField = async (crm: Client, type: string, name: string) =>
  (await crm.describe({ RecordType: type })).RecordTypes[0]?.Fields.find(({ Name }) => Name === name)

export const companyOf = async ({ crm, unique }: Pick<Context, 'crm' | 'unique'>) => (await crm.companies.create({ CompanyName: unique('Engines') })).CompanyID

/** The ids of all matches, two by two. */
export async function pagedBy(crm: Client, Filters: Answer, OrderBy: string): Promise<string[]> {
  const ids: string[] = []
  let Cursor: string | null = null
  do {
    const page = (await crm.call('get_many_leads', { Filters, OrderBy, Limit: 2, Cursor })) as { Records: { LeadID: string }[]; NextCursor: string | null }
    ids.push(...page.Records.map(({ LeadID }) => LeadID))
    Cursor = page.NextCursor
  } while (Cursor !== null)
  return ids
}
