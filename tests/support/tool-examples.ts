import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Talk } from './mcp.ts'

export const TOOL_OPERATIONS: readonly Operation[] = OPERATIONS.filter(({ tier }) => tier !== 'admin')

const exampleOf = (id: string) => OPERATIONS.find((operation) => operation.id === id)?.example as object

/** The example of an operation as the input of its tool, with the ids of records that there are: new ones, made with tools. */
export async function exampleInput({ call }: Talk, { example }: Operation): Promise<object> {
  const make = async (id: string) => (await call(id, exampleOf(id))).says as Record<string, string>
  const { LeadID = '' } = await make('create_a_lead')
  const { CampaignID = '' } = await make('create_campaign')
  await call('add_leads_to_campaign', { LeadID, CampaignID })
  const { OpportunityID = '', ChangeID = '' } = await make('create_opportunity')
  const { CaseID = '' } = await make('create_case')
  const { ObjectID = '' } = await make('create_custom_object')
  const made: { readonly [name: string]: string } = { LeadID, CampaignID, OpportunityID, ChangeID, CaseID, ObjectID, RecordID: LeadID }
  return Object.fromEntries(Object.entries(example as object).map(([name, value]) => [name, made[name] ?? value]))
}
