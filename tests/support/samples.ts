import type { Problem } from '../../src/contract/errors.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { createConnection } from '../../src/contract/records/connection.ts'
import { createCustomObject, Definition } from '../../src/contract/records/custom-object.ts'

/** The operations whose example can be carried out: only a CRM gives the code that completes a connection. */
export const SAMPLED: readonly Operation[] = OPERATIONS.filter(({ verb }) => verb !== 'completeConnection')

/** Executes an operation and resolves to its result. */
export type Call = (operation: string, input: unknown, headers?: Record<string, string>) => Promise<Record<string, unknown>>

const LEAD = ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }] as const

/** How to create an id of each kind. Nothing listens at the webhook's address, which is on this machine. */
const MAKERS: { readonly [id: string]: readonly [operation: string, input: object] } = {
  LeadID: LEAD,
  OpportunityID: ['create_opportunity', { OpportunityName: 'Engine', Stage: 'Open', CloseDate: '2026-12-31' }],
  CaseID: ['create_case', { Subject: 'Card', Description: 'Jammed' }],
  CompanyID: ['create_company', { CompanyName: 'Engines' }],
  ContactID: ['create_contact', { LastName: 'Babbage' }],
  ObjectID: [createCustomObject.id, createCustomObject.example],
  CampaignID: ['create_campaign', { CampaignName: 'Spring' }],
  UserID: ['create_user', { Name: 'Grace' }],
  KeyID: ['create_key', {}],
  ConnectionID: [createConnection.id, createConnection.example],
  WebhookID: ['create_webhook', { URL: 'http://127.0.0.1:9/hook', EventTypes: ['key.*'], Active: false }],
}

let workspaces = 0

/** The id of a new record, or of the change that created one. */
export async function newId(name: string, call: Call): Promise<string> {
  const [operation, input] = name === 'WorkspaceID' ? (['create_workspace', { Name: `w${++workspaces}` }] as const) : (MAKERS[name] ?? LEAD)
  const record = await call(operation, input)
  if (name === 'RecordID') return String(record.LeadID)
  if (name === 'PlanID') return newPlan(record, call)
  if (name !== 'ChangeID') return String(record[name])
  const { Records } = (await call('get_many_changes', { Filters: { RecordID: record.LeadID } })) as { Records: readonly { ChangeID: string }[] }
  return String(Records[0]?.ChangeID)
}

/** A delete that waits for confirmation. */
async function newPlan({ LeadID }: Record<string, unknown>, call: Call): Promise<string> {
  await call('delete_lead', { LeadID }, { confirm: 'deletes' }).catch(() => {})
  const { Records } = (await call('get_many_plans', { Filters: { RecordID: LeadID } })) as { Records: readonly { PlanID: string }[] }
  return String(Records[0]?.PlanID)
}

let upserts = 0

/** A valid input of an operation: its example, with ids of newly created records. */
export async function sampleOf(operation: Operation, call: Call): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = { ...(operation.example as object) }
  for (const name of Object.keys(input)) if (/^\w+ID$/.test(name) && name !== 'ExternalID') input[name] = await newId(name, call)
  // An upsert of what is there already would change nothing.
  if (operation.verb === 'upsert' && Array.isArray(input.MatchBy)) input[input.MatchBy[0]] = `${operation.id}@${++upserts}.example`
  if (operation.id === 'create_workspace') input.Name = `w${++workspaces}`
  await prepare(operation, input, call)
  return input
}

/** Makes what an input names by more than an id: a membership, a field without values. */
export async function prepare({ id, record }: Operation, input: Record<string, unknown>, call: Call): Promise<void> {
  if (id === 'remove_leads_from_campaign') await call('add_leads_to_campaign', input)
  if (id === 'resume_workspace') await call('pause_workspace', input)
  const { ObjectName, FieldName } = input
  if (record === Definition) await call(createCustomObject.id, { ObjectName, Fields: { [String(FieldName)]: { Type: 'String', Label: FieldName } } })
}

/** The headers with which a call is carried out that always has to be confirmed. */
export async function confirmationOf(
  { id, confirmed }: Operation,
  input: unknown,
  post: (operation: string, input: unknown) => Promise<Response>,
): Promise<Record<string, string>> {
  if (!confirmed) return {}
  const { plan } = (await (await post(id, input)).json()) as Problem
  return { 'confirmation-token': plan?.Token ?? '' }
}
