import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Talk } from './mcp.ts'

export const TOOL_OPERATIONS: readonly Operation[] = OPERATIONS.filter(({ tier, id }) => tier !== 'admin' && tier !== 'operator' && id !== 'refuse_plan')

const exampleOf = (id: string) => OPERATIONS.find((operation) => operation.id === id)?.example as object

let upserts = 0

/** The example of an operation as the input of its tool, with ids of records newly created by tools. */
export async function exampleInput({ call }: Talk, { example, verb }: Operation): Promise<object> {
  const made = new Map<string, Promise<{ readonly [member: string]: unknown }>>()
  const make = (id: string) => {
    const answer = made.get(id) ?? call(id, exampleOf(id)).then(({ says }) => says)
    made.set(id, answer)
    return answer
  }
  const ids: { readonly [name: string]: () => Promise<unknown> } = {
    LeadID: async () => (await make('create_a_lead')).LeadID,
    RecordID: async () => (await make('create_a_lead')).LeadID,
    async CampaignID() {
      const [{ LeadID }, { CampaignID }] = [await make('create_a_lead'), await make('create_campaign')]
      if (verb !== 'link') await call('add_leads_to_campaign', { LeadID, CampaignID })
      return CampaignID
    },
    OpportunityID: async () => (await make('create_opportunity')).OpportunityID,
    ChangeID: async () => (await make('create_opportunity')).ChangeID,
    CaseID: async () => (await make('create_case')).CaseID,
    CompanyID: async () => (await make('create_company')).CompanyID,
    ContactID: async () => (await make('create_contact')).ContactID,
    ObjectID: async () => (await make('create_custom_object')).ObjectID,
  }
  const members = Object.entries(example as object).map(async ([name, value]) => [name, ids[name] ? await ids[name]() : value])
  const input: Record<string, unknown> = Object.fromEntries(await Promise.all(members))
  // An upsert of what is there already would change nothing.
  if (Array.isArray(input.MatchBy) && verb === 'upsert') input[input.MatchBy[0]] = `agent@${++upserts}.example`
  return input
}
